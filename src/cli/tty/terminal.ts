import type { ReadStream, WriteStream } from 'node:tty';
import { createTextStyle, type TextStyle } from '#cli/render/colors';
import { escapeInvisible } from '#presentation/confirmation';

/** The input and output of a command, and their display capabilities. */
export interface Terminal {
  input: ReadStream;
  output: WriteStream;
  style: TextStyle;
  /** Whether stdin and stdout are both a terminal that can redraw. */
  isInteractive: boolean;
  /** Width in columns. Output to a program or file is not wrapped to a screen. */
  width(): number;
  height(): number;
  /** Prints lines to stdout: the result of the command. */
  print(...lines: string[]): void;
  /** Prints lines to stderr: errors and notices. */
  printError(...lines: string[]): void;
  /** Prints one JSON document to stdout. */
  printJson(value: unknown): void;
}

const PIPE_WIDTH = 100;

export function createTerminal(
  { stdin, stdout, stderr }: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>,
  env: NodeJS.ProcessEnv,
  wantsColor: boolean,
): Terminal {
  const isDumb = env.TERM === 'dumb';
  const style = createTextStyle(wantsColor && hasColor(env, Boolean(stdout.isTTY) && !isDumb));
  const write =
    (stream: NodeJS.WritableStream) =>
    (...lines: string[]) =>
      void stream.write(lines.map((line) => `${line}\n`).join(''));
  const print = write(stdout);
  return {
    input: stdin,
    output: stdout,
    style,
    isInteractive: Boolean(stdin.isTTY && stdout.isTTY) && !isDumb,
    width: () => (stdout.isTTY ? Math.max(withFreshSize(stdout).columns || 80, 20) : PIPE_WIDTH),
    height: () => (stdout.isTTY ? Math.max(withFreshSize(stdout).rows || 24, 8) : Number.POSITIVE_INFINITY),
    print,
    printError: write(stderr),
    printJson: (value) => print(escapeInvisible(JSON.stringify(value, null, 2))),
  };
}

/** Updates the size, because Node updates it only on the resize signal, which may arrive after the next draw. */
function withFreshSize(output: WriteStream): WriteStream {
  (output as { _refreshSize?: () => void })._refreshSize?.();
  return output;
}

/** Follows https://no-color.org and https://force-color.org. */
function hasColor(env: NodeJS.ProcessEnv, isScreen: boolean): boolean {
  if (env.NO_COLOR) return false;
  return env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isScreen;
}
