import { text } from 'node:stream/consumers';
import { misuse } from './exit';
import type { Terminal } from './terminal';

const FROM_STDIN = '-';

/** A message as it was given: in quotes, or on stdin. */
export async function messageFrom(
  words: readonly string[],
  before: string,
  { input }: Terminal,
): Promise<string> {
  const [word = '', ...more] = words;
  if (more.length > 0) throw misuse(`Put the message in quotes: ${before} "${words.join(' ')}"`);
  if (word !== FROM_STDIN) return filled(word, before);
  if (input.isTTY) throw misuse(`- takes the message from a pipe or a file: ${before} - < message.txt`);
  return filled(await text(input), before);
}

function filled(message: string, before: string): string {
  if (message.trim() === '')
    throw misuse(`The message is empty. Write it as: ${before} "Plan our team offsite"`);
  return message;
}
