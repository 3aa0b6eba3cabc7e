import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { usageError } from './errors';
import type { Terminal } from './tty/terminal';

const STDIN_MARK = '-';

/** A message as it was given: in quotes, or on stdin. */
export async function readMessageArgument(
  words: readonly string[],
  before: string,
  { input }: Terminal,
): Promise<string> {
  const [word = '', ...more] = words;
  if (more.length > 0) throw usageError(`Put the message in quotes: ${before} "${words.join(' ')}"`);
  if (word !== STDIN_MARK) return requireMessage(word, before);
  if (input.isTTY) throw usageError(`- takes the message from a pipe or a file: ${before} - < message.txt`);
  return requireMessage(await text(input), before);
}

function requireMessage(message: string, before: string): string {
  if (message.trim() === '') throw usageError(`The message is empty. Write it as: ${before} "Plan our team offsite"`);
  return message;
}

/** More than any answer may have: whoever pipes a film in has made a mistake. */
const MAX_STDIN_BYTES = 1024 * 1024;

/** Everything that is piped in. */
export async function readStdinText(input: Readable & { isTTY?: boolean }): Promise<string> {
  if (input.isTTY)
    throw usageError('There is nothing on stdin. Pipe the answer in: echo \'{"q1": "Yes"}\' | parley answer …');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > MAX_STDIN_BYTES) throw usageError('What came on stdin is over 1 MB, which no answer is.');
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString('utf8');
}
