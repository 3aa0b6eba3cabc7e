import { type Duplex, PassThrough, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS = new Map<string, () => Duplex>([
  ['identity', () => new PassThrough()],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Can it be unpacked here? Otherwise the bytes are left as they came. */
export function isReadable(encoding: string | undefined): boolean {
  return encoding !== undefined && DECODERS.has(encoding.toLowerCase());
}

/** Counted after it is unpacked, piece by piece: a small answer may unpack to gigabytes. */
export async function readBody(
  source: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const decoder = DECODERS.get(encoding?.toLowerCase() ?? '')?.();
  const stream: Readable = decoder ? pipeline(source, decoder, () => undefined) : source;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
}
