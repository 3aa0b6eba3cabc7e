import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow';
import type { CodecPayload } from '#contract/codec';

/** As Parley writes them. */
export async function writePayloads(
  codecs: PayloadCodec[],
  payloads: CodecPayload[],
): Promise<CodecPayload[]> {
  return (await encode(codecs, payloads.map(fromJson))).map(toJson);
}

/** In clear. */
export async function readPayloads(
  codecs: PayloadCodec[],
  payloads: CodecPayload[],
): Promise<CodecPayload[]> {
  return (await decode(codecs, payloads.map(fromJson))).map(toJson);
}

function fromJson({ metadata = {}, data = '', ...rest }: CodecPayload): Payload {
  const bytes = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { ...rest, metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') };
}

/** Without what is empty: an older tool refuses names it does not know. */
function toJson({ metadata, data, externalPayloads, ...rest }: Payload): CodecPayload {
  const texts = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]);
  const outside = externalPayloads?.length ? { externalPayloads } : {};
  return { ...rest, ...outside, metadata: Object.fromEntries(texts), data: base64(data ?? new Uint8Array()) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
