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
const unpack = promisify<Uint8Array, Buffer>(inflate);

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

async function decompress(payload: Payload): Promise<Payload> {
  if (encodingOf(payload) !== ENCODING) return payload;
  return Proto.decode(await unpack(payload.data ?? new Uint8Array()));
}
