import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey } from '#contract/encryption';
import { KeyError } from './key-error';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Of nothing at all. */
export const LEAST_BYTES = IV_BYTES + TAG_BYTES;

/** AES-256-GCM: the nonce, what is encrypted, and the tag, which also covers what stands beside it in clear. */
export function encipher(clear: Uint8Array, { bytes: key }: EncryptionKey, beside?: Uint8Array): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  if (beside) cipher.setAAD(beside);
  return Buffer.concat([iv, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
}

/** Throws a KeyError if it was another key, or another text. */
export function decipher(
  text: Uint8Array,
  id: string,
  keys: readonly EncryptionKey[],
  beside?: Uint8Array,
): Uint8Array {
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) throw new KeyError(id, false);
  try {
    const cipher = createDecipheriv(CIPHER, key.bytes, text.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    if (beside) cipher.setAAD(beside);
    cipher.setAuthTag(text.subarray(-TAG_BYTES));
    return Buffer.concat([cipher.update(text.subarray(IV_BYTES, -TAG_BYTES)), cipher.final()]);
  } catch {
    throw new KeyError(id, true);
  }
}
