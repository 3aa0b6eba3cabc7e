import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '#contract/permissions';

/** A new key. It is random and long, so that a plain hash of it gives nothing away. */
export function generateApiKey(): { key: string; hash: string } {
  const key = `parley_${randomBytes(32).toString('base64url')}`;
  return { key, hash: hashOf(key).toString('hex') };
}

/** The entry this key belongs to. Looks at all of them, each in constant time. */
export function findApiKey(keys: readonly ApiKey[], given: string): ApiKey | undefined {
  const hash = hashOf(given);
  let found: ApiKey | undefined;
  for (const key of keys) if (timingSafeEqual(Buffer.from(key.hash, 'hex'), hash)) found = key;
  return found;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
