import { createHmac } from 'node:crypto';

/** What names are hidden by in the index: nobody can tell it without the secret, and it outlives every encryption key. */
export function saltFrom(secret: string): string {
  return createHmac('sha256', secret).update('audience').digest('base64url');
}
