import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { usageError } from './errors';
import type { Terminal } from './tty/terminal';

/** The argument that means stdin. */
export const STDIN_MARK = '-';

/** Reads the message argument; `-` reads it from stdin. */
export async function readMessageArgument(
  args: readonly string[],
  command: string,
  { input }: Terminal,
): Promise<string> {
  const [first = '', ...more] = args;
  if (more.length > 0) throw usageError(`Put the message in quotes: ${command} "${args.join(' ')}"`);
  if (first !== STDIN_MARK) return requireMessage(first, command);
  if (input.isTTY) throw usageError(`- reads the message from a pipe or file: ${command} - < message.txt`);
  return requireMessage(await text(input), command);
}

function requireMessage(message: string, command: string): string {
  if (message.trim() === '') throw usageError(`The message is empty. Example: ${command} "Plan our team offsite"`);
  return message;
}

/** More than any answer can have; larger input is a mistake. */
const MAX_STDIN_BYTES = 1024 * 1024;

/** Reads all piped input. */
export async function readStdinText(input: Readable & { isTTY?: boolean }): Promise<string> {
  if (input.isTTY) throw usageError('No input on stdin. Pipe the answer in: echo \'{"q1": "Yes"}\' | parley answer …');
  const body = await text(input);
  if (Buffer.byteLength(body) > MAX_STDIN_BYTES) throw usageError('The answer on stdin is too large (maximum: 1 MB).');
  return body;
}
