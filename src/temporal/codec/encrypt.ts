import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { EncryptionKey, Keys } from '../../contract/encryption';
import { encodingOf, METADATA_ENCODING, nameOf, textIn } from './encoding';

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const { Payload: Proto } = temporal.api.common.v1;

/** What was encrypted cannot be read with the keys that are here. It is not lost: the right key reads it. */
export class KeyError extends Error {
  constructor(
    readonly keyId: string,
    isHere: boolean,
  ) {
    const why = isHere
      ? `The encryption key "${keyId}" that is here is not the one that this was encrypted with, or it was changed since.`
      : `This was encrypted with the key "${keyId}", which is not here.`;
    super(`${why} Put the right one into PARLEY_ENCRYPTION_KEYS; nothing is lost.`);
    this.name = 'KeyError';
  }
}

/** AES-256-GCM: the first key encrypts, whichever is named decrypts. What came in clear is read in clear. */
export function encryption([first, ...others]: Keys): PayloadCodec {
  const keys = new Map([first, ...others].map((key) => [key.id, key]));
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, first)),
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, keys)),
  };
}

function encrypt(payload: Payload, key: EncryptionKey): Payload {
  const metadata = { [METADATA_ENCODING]: nameOf(ENCODING), [KEY_ID]: nameOf(key.id) };
  return { metadata, data: seal(Proto.encode(payload).finish(), key) };
}

function decrypt(payload: Payload, keys: ReadonlyMap<string, EncryptionKey>): Payload {
  if (encodingOf(payload) !== ENCODING) return payload;
  const id = textIn(payload.metadata?.[KEY_ID]);
  return Proto.decode(unseal(payload.data ?? new Uint8Array(), id, keys));
}

/** The nonce, what is encrypted, and the tag. */
function seal(bytes: Uint8Array, { bytes: key }: EncryptionKey): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  return Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function unseal(sealed: Uint8Array, id: string, keys: ReadonlyMap<string, EncryptionKey>): Uint8Array {
  const key = keys.get(id);
  if (!key) throw new KeyError(id, false);
  const body = sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES);
  try {
    const cipher = createDecipheriv(CIPHER, key.bytes, sealed.subarray(0, IV_BYTES));
    cipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    return Buffer.concat([cipher.update(body), cipher.final()]);
  } catch {
    throw new KeyError(id, true);
  }
}

/** The key that a payload was encrypted with; undefined where it was not. */
export function keyIdOf(payload: Payload): string | undefined {
  return encodingOf(payload) === ENCODING ? textIn(payload.metadata?.[KEY_ID]) : undefined;
}
