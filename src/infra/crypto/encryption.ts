import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey, EncryptionKeyRing } from './encryption-keys';

/** No text begins like this, so what is in clear is never taken for sealed. */
const ENVELOPE_MAGIC = Uint8Array.of(0x00, 0x50, 0x53, 0x01);
const KEY_ID_LENGTH_OFFSET = ENVELOPE_MAGIC.length;
const KEY_ID_OFFSET = KEY_ID_LENGTH_OFFSET + 1;

/** Encrypted with the first key, whose id goes before it. */
export function encryptEnvelope(bytes: Uint8Array, [first]: EncryptionKeyRing): Uint8Array {
  const id = new TextEncoder().encode(first.id);
  const head = Uint8Array.of(...ENVELOPE_MAGIC, id.length, ...id);
  return Buffer.concat([head, encryptBytes(bytes, first, head)]);
}

/** What was sealed, with whichever key it names; what is in clear as it is. Throws a KeyError where the key is not here. */
export function decryptEnvelope(bytes: Uint8Array, keys: EncryptionKeyRing | undefined): Uint8Array {
  if (!isEncryptedEnvelope(bytes)) return bytes;
  const end = KEY_ID_OFFSET + (bytes[KEY_ID_LENGTH_OFFSET] ?? 0);
  const id = new TextDecoder().decode(bytes.subarray(KEY_ID_OFFSET, end));
  return decryptBytes(bytes.subarray(end), id, keys ?? [], bytes.subarray(0, end));
}

export function isEncryptedEnvelope(bytes: Uint8Array): boolean {
  return ENVELOPE_MAGIC.every((byte, at) => bytes[at] === byte);
}

const CIPHER_ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Of nothing at all. */
export const MIN_CIPHERTEXT_BYTES = IV_BYTES + TAG_BYTES;

/** AES-256-GCM: the nonce, what is encrypted, and the tag, which also covers what stands beside it in clear. */
export function encryptBytes(clear: Uint8Array, { bytes: key }: EncryptionKey, beside?: Uint8Array): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER_ALGORITHM, key, iv);
  if (beside) cipher.setAAD(beside);
  return Buffer.concat([iv, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
}

/** Throws a KeyError if it was another key, or another text. */
export function decryptBytes(
  text: Uint8Array,
  id: string,
  keys: readonly EncryptionKey[],
  beside?: Uint8Array,
): Uint8Array {
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) throw new EncryptionKeyError(id, false);
  try {
    const cipher = createDecipheriv(CIPHER_ALGORITHM, key.bytes, text.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    if (beside) cipher.setAAD(beside);
    cipher.setAuthTag(text.subarray(-TAG_BYTES));
    return Buffer.concat([cipher.update(text.subarray(IV_BYTES, -TAG_BYTES)), cipher.final()]);
  } catch {
    throw new EncryptionKeyError(id, true);
  }
}

/** What was encrypted cannot be read with the keys that are here. It is not lost: the right key reads it. */
export class EncryptionKeyError extends Error {
  override readonly name = 'KeyError';

  constructor(
    readonly keyId: string,
    isHere: boolean,
  ) {
    const why = isHere
      ? `The encryption key "${keyId}" that is here is not the one that this was encrypted with, or it was changed since.`
      : `This was encrypted with the key "${keyId}", which is not here.`;
    super(`${why} Put the right one into PARLEY_ENCRYPTION_KEYS; nothing is lost.`);
  }
}

/** By its name, as the class may have been loaded twice; also where it is the cause of what was thrown. */
export function findEncryptionKeyError(error: unknown): EncryptionKeyError | undefined {
  for (let one = error, depth = 0; one instanceof Object && depth < 8; depth += 1) {
    if ((one as Error).name === 'KeyError' && 'keyId' in one) return one as EncryptionKeyError;
    one = (one as Error).cause;
  }
  return undefined;
}
