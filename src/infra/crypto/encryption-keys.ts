import { z } from 'zod';
import { entriesOf, parsedText } from '#contract/error-messages';

/** A key for payloads. Its id is stored unencrypted with each payload, to find the key for decryption. */
export interface EncryptionKey {
  id: string;
  bytes: Uint8Array;
}

const KEY_BYTES = 32;
const BASE64_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Key ids are not secret: errors show them. */
export const EncryptionKeyId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'an id is 1 to 64 letters, digits, dots, hyphens or underscores, and starts with a letter or digit',
  );

const KEY_FORMAT_HELP = 'must be id:key, as `parley admin key --encryption` prints it';

/** Errors never repeat the entry: it may be a key in place of an id. */
const EncryptionKeyEntry = parsedText((entry): EncryptionKey | string => {
  const colon = entry.indexOf(':');
  const id = entry.slice(0, Math.max(colon, 0));
  const encoded = entry.slice(colon + 1);
  if (!EncryptionKeyId.safeParse(id).success) return KEY_FORMAT_HELP;
  if (!BASE64_KEY.test(encoded))
    return `key ${id} must be ${KEY_BYTES} bytes in base64; create it with \`parley admin key --encryption\``;
  return { id, bytes: Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)) };
});

/** The active keys. */
export type EncryptionKeyRing = [EncryptionKey, ...EncryptionKey[]];

/** Parses the keys: the first encrypts, the others only decrypt. */
export const EncryptionKeys = entriesOf(EncryptionKeyEntry, /[\s,]+/)
  .refine((keys) => keys.length > 0, KEY_FORMAT_HELP)
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'ids must be unique')
  .refine(
    (keys) => new Set(keys.map(({ bytes }) => bytes.join())).size === keys.length,
    'two ids have the same key; create a key for each with `parley admin key --encryption`',
  )
  .transform((keys) => keys as EncryptionKeyRing);
