import { spawn } from 'node:child_process';
import { CLI_MAIN_FILE, type CliResult, startPiped } from './run-cli';

/** A running `parley` with piped input and output. */
export interface InteractiveCli {
  /** Waits for that text on stdout or stderr. */
  waitForOutput(text: string): Promise<void>;
  /** Writes to stdin, which stays open until `endInput`. */
  write(text: string): void;
  endInput(): void;
  result: Promise<CliResult>;
}

/** `parley` in a separate process. */
export interface SpawnedCli extends InteractiveCli {
  kill(signal: NodeJS.Signals): void;
}

/** Runs `parley` in this process. Stdin stays open and receives only what the test writes. */
export function startInteractiveCli(args: string[], env: Record<string, string>): InteractiveCli {
  const waiter = new OutputWaiter();
  const { output, stdin, result } = startPiped(args, env, () => waiter.notify(output));
  return {
    waitForOutput: (wanted) => waiter.waitFor(wanted, output, result),
    write: (text) => void stdin.write(text),
    endInput: () => void stdin.end(),
    result,
  };
}

/** Runs `parley` in a separate process, for tests of signals and exit codes. */
export function spawnCli(args: string[], env: Record<string, string>): SpawnedCli {
  const child = spawn(process.execPath, [CLI_MAIN_FILE, ...args], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
  });
  const output = { out: '', err: '' };
  const waiter = new OutputWaiter();
  const onChunk = (stream: 'out' | 'err') => (chunk: Buffer) => {
    output[stream] += chunk;
    waiter.notify(output);
  };
  child.stdout.on('data', onChunk('out'));
  child.stderr.on('data', onChunk('err'));
  // The process may exit before it is written to.
  child.stdin.on('error', () => undefined);
  const result = new Promise<CliResult>((resolve) => {
    child.once('close', (code) => resolve({ code: code ?? -1, ...output }));
  });
  return {
    waitForOutput: (wanted) => waiter.waitFor(wanted, output, result),
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    result,
  };
}

type CliOutput = Omit<CliResult, 'code'>;

/** Resolves waiters when the output contains their text. */
class OutputWaiter {
  private readonly waiters: { wanted: string; resolve: () => void }[] = [];

  notify({ out, err }: CliOutput): void {
    for (const { wanted, resolve } of this.waiters) if (out.includes(wanted) || err.includes(wanted)) resolve();
  }

  waitFor(wanted: string, output: CliOutput, ended: Promise<CliResult>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiters.push({ wanted, resolve });
      this.notify(output);
      const never = ({ out, err }: CliOutput) => reject(new Error(`${wanted} was never said:\n${out}\n${err}`));
      ended.then(never, reject);
    });
  }
}
