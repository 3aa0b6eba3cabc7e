import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { type CommandEnvironment, runCommandLine } from '#cli/program';

export interface CliResult {
  code: number;
  out: string;
  err: string;
}

export interface RunningCli {
  output: { out: string; err: string };
  stdin: PassThrough;
  result: Promise<CliResult>;
}

/** Upper limit, below jest's own timeout. */
const CLI_TIMEOUT_MS = 150_000;

/** Runs `parley` with these words where there is no terminal, and this on stdin. */
export function runPiped(
  args: string[],
  env: NodeJS.ProcessEnv,
  input = '',
  loadWorkflowCode?: CommandEnvironment['loadWorkflowCode'],
): Promise<CliResult> {
  const { stdin, result } = startPiped(args, env, () => undefined, loadWorkflowCode);
  stdin.end(input);
  return result;
}

/**
 * Runs the CLI in this process: a separate process takes ten times as long, and only adds signals and broken pipes,
 * which json.test.ts and watch/piped.test.ts cover. Calls `onOutput` after each write.
 */
export function startPiped(
  args: string[],
  env: NodeJS.ProcessEnv,
  onOutput: () => void,
  loadWorkflowCode?: CommandEnvironment['loadWorkflowCode'],
): RunningCli {
  const output = { out: '', err: '' };
  const streamTo = (stream: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        output[stream] += chunk;
        onOutput();
        done();
      },
    });
  const stdin = new PassThrough();
  const environment = {
    stdin,
    stdout: streamTo('out'),
    stderr: streamTo('err'),
    env: { HOME: '/nonexistent', ...env },
    loadWorkflowCode,
  };
  const code = runCommandLine(args, environment as unknown as CommandEnvironment);
  let timer: NodeJS.Timeout;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`parley ${args.join(' ')} did not end. It said:\n${output.out}\n${output.err}`)),
      CLI_TIMEOUT_MS,
    );
  });
  const result = Promise.race([code, timedOut]).finally(() => clearTimeout(timer));
  return { output, stdin, result: result.then((exitCode) => ({ code: exitCode, ...output })) };
}

/** The built CLI. */
export const CLI_MAIN_FILE = path.join(__dirname, '../../../dist/src/cli/main.js');
