import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey, EncryptionKeyRing } from './encryption-keys';

/** Marks an envelope. No text starts with these bytes, so plaintext is never mistaken for an envelope. */
const ENVELOPE_MAGIC = Uint8Array.of(0x00, 0x50, 0x53, 0x01);
const KEY_ID_LENGTH_OFFSET = ENVELOPE_MAGIC.length;
const KEY_ID_OFFSET = KEY_ID_LENGTH_OFFSET + 1;

/** Encrypts with the first key and writes its id to the header. */
export function encryptEnvelope(bytes: Uint8Array, [activeKey]: EncryptionKeyRing): Uint8Array {
  const id = new TextEncoder().encode(activeKey.id);
  const header = Uint8Array.of(...ENVELOPE_MAGIC, id.length, ...id);
  return Buffer.concat([header, encryptBytes(bytes, activeKey, header)]);
}

/** Decrypts with the key in the header; returns plaintext unchanged. Throws an EncryptionKeyError without it. */
export function decryptEnvelope(bytes: Uint8Array, keys: EncryptionKeyRing | undefined): Uint8Array {
  if (!isEncryptedEnvelope(bytes)) return bytes;
  const headerEnd = KEY_ID_OFFSET + (bytes[KEY_ID_LENGTH_OFFSET] ?? 0);
  const id = new TextDecoder().decode(bytes.subarray(KEY_ID_OFFSET, headerEnd));
  return decryptBytes(bytes.subarray(headerEnd), id, keys ?? [], bytes.subarray(0, headerEnd));
}

export function isEncryptedEnvelope(bytes: Uint8Array): boolean {
  return ENVELOPE_MAGIC.every((byte, index) => bytes[index] === byte);
}

const CIPHER_ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Size of an empty plaintext, encrypted. */
export const MIN_CIPHERTEXT_BYTES = IV_BYTES + TAG_BYTES;

/** Encrypts with AES-256-GCM. Returns the nonce, the ciphertext and the tag, which also covers the associated data. */
export function encryptBytes(
  plaintext: Uint8Array,
  { bytes: key }: EncryptionKey,
  associatedData?: Uint8Array,
): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER_ALGORITHM, key, iv);
  if (associatedData) cipher.setAAD(associatedData);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Throws an EncryptionKeyError if the key, the ciphertext or the associated data is not the original. */
export function decryptBytes(
  ciphertext: Uint8Array,
  id: string,
  keys: readonly EncryptionKey[],
  associatedData?: Uint8Array,
): Uint8Array {
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) throw new EncryptionKeyError(id, false);
  try {
    const decipher = createDecipheriv(CIPHER_ALGORITHM, key.bytes, ciphertext.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    if (associatedData) decipher.setAAD(associatedData);
    decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(ciphertext.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new EncryptionKeyError(id, true);
  }
}

const ERROR_NAME = 'EncryptionKeyError';

/** The configured keys cannot decrypt the data. Nothing is lost: the right key can. */
export class EncryptionKeyError extends Error {
  override readonly name = ERROR_NAME;

  constructor(
    readonly keyId: string,
    isKeyKnown: boolean,
  ) {
    const reason = isKeyKnown
      ? `Can't decrypt with encryption key "${keyId}": a different key was used, or the data was changed.`
      : `Encryption key "${keyId}" is missing.`;
    super(`${reason} Add the right key to PARLEY_ENCRYPTION_KEYS; nothing is lost.`);
  }
}

/** Searches the chain of causes. Compares by name, as the class may be loaded twice. */
export function findEncryptionKeyError(error: unknown): EncryptionKeyError | undefined {
  for (let cause = error, depth = 0; cause instanceof Object && depth < 8; depth += 1) {
    if ((cause as Error).name === ERROR_NAME && 'keyId' in cause) return cause as EncryptionKeyError;
    cause = (cause as Error).cause;
  }
  return undefined;
}
