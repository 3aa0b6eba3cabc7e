import { createHmac } from 'node:crypto';

/** Derives the salt for hashed names in the index. It does not change with encryption keys. */
export function deriveAudienceSalt(secret: string): string {
  return createHmac('sha256', secret).update('audience').digest('base64url');
}
