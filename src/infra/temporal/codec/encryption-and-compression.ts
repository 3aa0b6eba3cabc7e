import { promisify } from 'node:util';
import { deflate, inflate, type ZlibOptions } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { decryptBytes, encryptBytes, MIN_CIPHERTEXT_BYTES } from '#infra/crypto/aes-gcm';
import type { EncryptionKey, EncryptionKeyRing } from '#infra/crypto/encryption-keys';

const METADATA_ENCODING = 'encoding';

const encodeMetadataText = (text: string) => new TextEncoder().encode(text);

function readMetadataText({ metadata }: Payload, name: string): string {
  return new TextDecoder().decode(metadata?.[name] ?? new Uint8Array());
}

/** Whether a payload claims this encoding. Anyone can send a signal, so the claim may be false. */
function hasEncoding(payload: Payload, encoding: string): boolean {
  return readMetadataText(payload, METADATA_ENCODING) === encoding;
}

const ZLIB_ENCODING = 'binary/zlib';
/** Smaller payloads stay uncompressed, so that people can read arguments and memos in Temporal's own tools. */
const MIN_COMPRESSED_BYTES = { workflow: 32_768, activity: 4_096 };

const { Payload: PayloadProto } = temporal.api.common.v1;
const deflateAsync = promisify<Uint8Array, Buffer>(deflate);
/** Guards against decompression bombs. Parley's own payloads are far smaller. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
const inflateAsync = promisify<Uint8Array, ZlibOptions, Buffer>(inflate);

/** Compresses large payloads, in the format of the Go SDK's zlib codec. */
export const compressionCodec: PayloadCodec = {
  encode: (payloads, context) =>
    Promise.all(payloads.map((payload) => compressPayload(payload, MIN_COMPRESSED_BYTES[context?.type ?? 'workflow']))),
  decode: (payloads) => Promise.all(payloads.map(decompressPayload)),
};

async function compressPayload(payload: Payload, minBytes: number): Promise<Payload> {
  if ((payload.data?.length ?? 0) < minBytes) return payload;
  const data = await deflateAsync(PayloadProto.encode(payload).finish());
  if (data.length >= (payload.data?.length ?? 0)) return payload;
  return { metadata: { [METADATA_ENCODING]: encodeMetadataText(ZLIB_ENCODING) }, data };
}

/** A payload that only claims to be compressed is left unchanged, and read as nothing. */
async function decompressPayload(payload: Payload): Promise<Payload> {
  if (!hasEncoding(payload, ZLIB_ENCODING)) return payload;
  try {
    const limits = { maxOutputLength: MAX_INFLATED_BYTES };
    return PayloadProto.decode(await inflateAsync(payload.data ?? new Uint8Array(), limits));
  } catch {
    return payload;
  }
}

const ENCRYPTED_ENCODING = 'binary/encrypted';
const KEY_ID_METADATA = 'encryption-key-id';

/**
 * Encrypts with the first key and decrypts with the one a payload names. Plaintext is read as it is. Without keys,
 * decrypting still fails with the id of the missing key, rather than yielding nothing.
 */
export function createEncryptionCodec(keys: EncryptionKeyRing | undefined): PayloadCodec {
  const activeKey = keys?.[0];
  return {
    encode: async (payloads) => (activeKey ? payloads.map((payload) => encryptPayload(payload, activeKey)) : payloads),
    decode: async (payloads) => payloads.map((payload) => decryptPayload(payload, keys ?? [])),
  };
}

function encryptPayload(payload: Payload, key: EncryptionKey): Payload {
  const metadata = {
    [METADATA_ENCODING]: encodeMetadataText(ENCRYPTED_ENCODING),
    [KEY_ID_METADATA]: encodeMetadataText(key.id),
  };
  return { metadata, data: encryptBytes(PayloadProto.encode(payload).finish(), key) };
}

/** A payload that no key can have produced is left unchanged, and read as nothing. */
function decryptPayload(payload: Payload, keys: readonly EncryptionKey[]): Payload {
  if (!hasEncoding(payload, ENCRYPTED_ENCODING)) return payload;
  const id = readMetadataText(payload, KEY_ID_METADATA);
  const data = payload.data ?? new Uint8Array();
  if (id === '' || data.length < MIN_CIPHERTEXT_BYTES) return payload;
  return PayloadProto.decode(decryptBytes(data, id, keys));
}

/** Returns the id of the key that encrypted a payload; undefined if it is not encrypted. */
export function readPayloadKeyId(payload: Payload): string | undefined {
  return hasEncoding(payload, ENCRYPTED_ENCODING) ? readMetadataText(payload, KEY_ID_METADATA) : undefined;
}
