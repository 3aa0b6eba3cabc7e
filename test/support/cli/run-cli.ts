import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { type CommandEnvironment, runCommandLine } from '#cli/program';

export interface CliResult {
  code: number;
  out: string;
  err: string;
}

export interface RunningCli {
  said: { out: string; err: string };
  stdin: PassThrough;
  ended: Promise<CliResult>;
}

/** The last resort, before jest's own. */
const CLI_TIMEOUT_MS = 150_000;

/** Runs `parley` with these words where there is no terminal, and this on stdin. */
export function runPiped(words: string[], env: Record<string, string>, input = ''): Promise<CliResult> {
  const { stdin, ended } = startPiped(words, env, () => undefined);
  stdin.end(input);
  return ended;
}

/**
 * The client, called in this process: a process of its own takes ten times as long, and all it adds
 * are signals and broken pipes, which json.test.ts and follow/piped.test.ts look at. `hear` is called whenever it has said something.
 */
export function startPiped(words: string[], env: Record<string, string>, hear: () => void): RunningCli {
  const said = { out: '', err: '' };
  const into = (stream: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        said[stream] += chunk;
        hear();
        done();
      },
    });
  const stdin = new PassThrough();
  const surroundings = {
    stdin,
    stdout: into('out'),
    stderr: into('err'),
    env: { HOME: '/nonexistent', ...env },
  };
  const code = runCommandLine(words, surroundings as unknown as CommandEnvironment);
  let overdue: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    overdue = setTimeout(
      () => reject(new Error(`parley ${words.join(' ')} did not end. It said:\n${said.out}\n${said.err}`)),
      CLI_TIMEOUT_MS,
    );
  });
  const ended = Promise.race([code, late]).finally(() => clearTimeout(overdue));
  return { said, stdin, ended: ended.then((ending) => ({ code: ending, ...said })) };
}

/** The terminal client, as it was built. */
export const CLI_MAIN_FILE = path.join(__dirname, '../../../dist/src/cli/main.js');
