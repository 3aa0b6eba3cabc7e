import type { Readable } from 'node:stream';
import { misuse } from '#cli/exit';

/** More than any answer may have: whoever pipes a film in has made a mistake. */
const MOST = 1024 * 1024;

/** Everything that is piped in. */
export async function readAll(input: Readable & { isTTY?: boolean }): Promise<string> {
  if (input.isTTY)
    throw misuse('There is nothing on stdin. Pipe the answer in: echo \'{"q1": "Yes"}\' | parley answer …');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > MOST) throw misuse('What came on stdin is over 1 MB, which no answer is.');
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString('utf8');
}
