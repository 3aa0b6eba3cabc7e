import { spawn } from 'node:child_process';
import { CLI_MAIN_FILE, type CliResult, startPiped } from './run-cli';

/** `parley` on pipes, while it runs. */
export interface InteractiveCli {
  /** Waits until it has said that, on either. */
  until(wanted: string): Promise<void>;
  /** Its input stays open until it is ended. */
  write(text: string): void;
  end(): void;
  ended: Promise<CliResult>;
}

/** `parley` as a process of its own. */
export interface SpawnedCli extends InteractiveCli {
  kill(signal: NodeJS.Signals): void;
}

/** Nothing comes on stdin but what is written, and it stays open. */
export function startInteractiveCli(words: string[], env: Record<string, string>): InteractiveCli {
  const waiting = new OutputWaiter();
  const { said, stdin, ended } = startPiped(words, env, () => waiting.hear(said));
  return {
    until: (wanted) => waiting.until(wanted, said, ended),
    write: (text) => void stdin.write(text),
    end: () => void stdin.end(),
    ended,
  };
}

/** The same as a process: for what only a process has, as signals and an exit code. */
export function spawnCli(words: string[], env: Record<string, string>): SpawnedCli {
  const child = spawn(process.execPath, [CLI_MAIN_FILE, ...words], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
  });
  const said = { out: '', err: '' };
  const waiting = new OutputWaiter();
  const hear = (stream: 'out' | 'err') => (chunk: Buffer) => {
    said[stream] += chunk;
    waiting.hear(said);
  };
  child.stdout.on('data', hear('out'));
  child.stderr.on('data', hear('err'));
  // It may have left before it was written to.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<CliResult>((resolve) => {
    child.once('close', (code) => resolve({ code: code ?? -1, ...said }));
  });
  return {
    until: (wanted) => waiting.until(wanted, said, ended),
    write: (text) => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

type CliOutput = Omit<CliResult, 'code'>;

/** Those who wait for something to be said. */
class OutputWaiter {
  private readonly all: { wanted: string; resolve: () => void }[] = [];

  hear({ out, err }: CliOutput): void {
    for (const { wanted, resolve } of this.all) if (out.includes(wanted) || err.includes(wanted)) resolve();
  }

  until(wanted: string, said: CliOutput, ended: Promise<CliResult>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.all.push({ wanted, resolve });
      this.hear(said);
      const never = ({ out, err }: CliOutput) => reject(new Error(`${wanted} was never said:\n${out}\n${err}`));
      ended.then(never, reject);
    });
  }
}
