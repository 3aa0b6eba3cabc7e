import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { EncryptionKey, Keys } from '../../contract/encryption';
import { decipher, encipher } from '../../sealing/cipher';
import { encodingOf, METADATA_ENCODING, nameOf, textIn } from './encoding';

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

const { Payload: Proto } = temporal.api.common.v1;

/** The first key encrypts, whichever is named decrypts. What came in clear is read in clear. */
export function encryption(keys: Keys): PayloadCodec {
  const [first] = keys;
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, first)),
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, keys)),
  };
}

function encrypt(payload: Payload, key: EncryptionKey): Payload {
  const metadata = { [METADATA_ENCODING]: nameOf(ENCODING), [KEY_ID]: nameOf(key.id) };
  return { metadata, data: encipher(Proto.encode(payload).finish(), key) };
}

function decrypt(payload: Payload, keys: readonly EncryptionKey[]): Payload {
  if (encodingOf(payload) !== ENCODING) return payload;
  const id = textIn(payload.metadata?.[KEY_ID]);
  return Proto.decode(decipher(payload.data ?? new Uint8Array(), id, keys));
}
