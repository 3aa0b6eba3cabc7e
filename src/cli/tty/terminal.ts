import type { ReadStream, WriteStream } from 'node:tty';
import { createTextStyle, type TextStyle } from '#cli/render/colors';
import { escapeInvisible } from '#presentation/confirmation';

/** The input and output of a command, and what can be shown there. */
export interface Terminal {
  input: ReadStream;
  output: WriteStream;
  style: TextStyle;
  /** Both stdin and stdout are a terminal that can redraw. */
  isInteractive: boolean;
  /** In columns. Text for a program or a file is not broken to fit a screen it does not have. */
  width(): number;
  height(): number;
  /** Prints lines to stdout: the result of the command. */
  print(...lines: string[]): void;
  /** Prints lines to stderr: errors, and notices for the person who watches. */
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

/** Node looks at the size when the system tells it to, which may be after the next line is drawn. */
function withFreshSize(output: WriteStream): WriteStream {
  (output as { _refreshSize?: () => void })._refreshSize?.();
  return output;
}

/** As https://no-color.org and https://force-color.org have it. */
function hasColor(env: NodeJS.ProcessEnv, isScreen: boolean): boolean {
  if (env.NO_COLOR) return false;
  return env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isScreen;
}
