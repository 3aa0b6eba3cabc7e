import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import type { Idempotency } from '#api/services/message-results';
import { canonicalJson } from '#core/digest';
import type { Principal } from './authentication';
import { ApiError } from './errors';

/**
 * Returns an id for the request's effect. A retry by the same caller with the same key has the same id; no other
 * request does.
 */
export function idempotencyFromHeader(
  request: Pick<Request, 'get'>,
  { secret, caller }: { secret: string; caller: Principal },
  operation: string[],
  body: unknown,
  header: 'Idempotency-Key' | 'webhook-id' = 'Idempotency-Key',
): Idempotency {
  const key = request.get(header);
  const digest = digestOf(body);
  if (key === undefined) return { id: randomBytes(12).toString('hex'), digest, isKeyed: false };
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError('invalid_request', `${header} must be 1 to 255 visible ASCII characters without spaces.`);
  return idempotencyFrom(secret, [caller.name, ...operation, key], body);
}

/**
 * For requests without an idempotency key. `identity` is equal for every repeat of a request and for no other request.
 */
export function idempotencyFrom(secret: string, identity: unknown[], body: unknown): Idempotency {
  const id = createHmac('sha256', secret).update(JSON.stringify(identity)).digest('hex').slice(0, 32);
  return { id, digest: digestOf(body), isKeyed: true };
}

/** Returns a digest of the body that does not depend on the order of fields. */
function digestOf(body: unknown): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex').slice(0, 32);
}
