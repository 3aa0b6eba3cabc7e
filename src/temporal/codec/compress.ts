import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { encodingOf, METADATA_ENCODING, nameOf } from './encoding';

const ENCODING = 'binary/zlib';
/** People read the arguments and memos of a conversation in Temporal's own tools, as long as they are readable. */
const WORTH_IT = { workflow: 32_768, activity: 4_096 };

const { Payload: Proto } = temporal.api.common.v1;
const pack = promisify<Uint8Array, Buffer>(deflate);
/** A few bytes of malice could unfold to gigabytes; nothing of ours comes near this. */
const UNPACKED_BYTES = 64 * 1024 * 1024;
const unpack = (data: Uint8Array) =>
  promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate)(data, {
    maxOutputLength: UNPACKED_BYTES,
  });

/** Makes what is large small, in the format of the Go SDK's own zlib codec. */
export const compression: PayloadCodec = {
  encode: (payloads, context) =>
    Promise.all(payloads.map((payload) => compress(payload, WORTH_IT[context?.type ?? 'workflow']))),
  decode: (payloads) => Promise.all(payloads.map(decompress)),
};

async function compress(payload: Payload, least: number): Promise<Payload> {
  if ((payload.data?.length ?? 0) < least) return payload;
  const data = await pack(Proto.encode(payload).finish());
  if (data.length >= (payload.data?.length ?? 0)) return payload;
  return { metadata: { [METADATA_ENCODING]: nameOf(ENCODING) }, data };
}

/** Anybody may signal: what only says that it is compressed is left as it came, and read as nothing. */
async function decompress(payload: Payload): Promise<Payload> {
  if (encodingOf(payload) !== ENCODING) return payload;
  try {
    return Proto.decode(await unpack(payload.data ?? new Uint8Array()));
  } catch {
    return payload;
  }
}
