import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '#contract/permissions';

/** Generates a key. It is long and random, so a plain hash of it is safe to store. */
export function generateApiKey(): { key: string; hash: string } {
  const key = `parley_${randomBytes(32).toString('base64url')}`;
  return { key, hash: hashOf(key).toString('hex') };
}

/** Finds the entry of a key. Compares with every entry in constant time. */
export function findApiKey(keys: readonly ApiKey[], presentedKey: string): ApiKey | undefined {
  const hash = hashOf(presentedKey);
  let match: ApiKey | undefined;
  for (const key of keys) if (timingSafeEqual(Buffer.from(key.hash, 'hex'), hash)) match = key;
  return match;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
