import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { EncryptionKey, Keys } from '#contract/encryption';
import { decipher, encipher, LEAST_BYTES } from '#sealing/cipher';
import { encodingOf, METADATA_ENCODING, nameOf, textIn } from './encoding';

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

const { Payload: Proto } = temporal.api.common.v1;

/**
 * The first key encrypts, whichever is named decrypts. What came in clear is read in clear. Without keys nothing is
 * encrypted, but what was still is not taken for nothing: whoever reads it is told which key is missing.
 */
export function encryption(keys: Keys | undefined): PayloadCodec {
  const first = keys?.[0];
  return {
    encode: async (payloads) => (first ? payloads.map((payload) => encrypt(payload, first)) : payloads),
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, keys ?? [])),
  };
}

function encrypt(payload: Payload, key: EncryptionKey): Payload {
  const metadata = { [METADATA_ENCODING]: nameOf(ENCODING), [KEY_ID]: nameOf(key.id) };
  return { metadata, data: encipher(Proto.encode(payload).finish(), key) };
}

/** Anybody may signal: what no key can ever have made is left as it came, and read as nothing. */
function decrypt(payload: Payload, keys: readonly EncryptionKey[]): Payload {
  if (encodingOf(payload) !== ENCODING) return payload;
  const id = textIn(payload.metadata?.[KEY_ID]);
  const data = payload.data ?? new Uint8Array();
  if (id === '' || data.length < LEAST_BYTES) return payload;
  return Proto.decode(decipher(data, id, keys));
}

/** The key that a payload was encrypted with; undefined where it was not. */
export function keyIdOf(payload: Payload): string | undefined {
  return encodingOf(payload) === ENCODING ? textIn(payload.metadata?.[KEY_ID]) : undefined;
}
