import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import type { Idempotency } from '#api/services/message-results';
import type { Principal } from './authentication';
import { ApiError } from './errors';

/** What a request does, under a name that a retry of the same caller with the same key has too, and no other request. */
export function idempotencyFromHeader(
  request: Pick<Request, 'get'>,
  { secret, caller }: { secret: string; caller: Principal },
  what: string[],
  body: unknown,
  header: 'Idempotency-Key' | 'webhook-id' = 'Idempotency-Key',
): Idempotency {
  const key = request.get(header);
  const digest = digestOf(body);
  if (key === undefined) return { id: randomBytes(12).toString('hex'), digest, isKeyed: false };
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError('invalid_request', `${header} is 1 to 255 visible ASCII characters without spaces.`);
  return idempotencyFrom(secret, [caller.name, ...what, key], body);
}

/** The same for what did not come with a key of its own: `what` is the same for each repeat of it, and for nothing else. */
export function idempotencyFrom(secret: string, what: unknown[], body: unknown): Idempotency {
  const id = createHmac('sha256', secret).update(JSON.stringify(what)).digest('hex').slice(0, 32);
  return { id, digest: digestOf(body), isKeyed: true };
}

/** What was asked for, whatever order its fields came in. */
function digestOf(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)) ?? '')
    .digest('hex')
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, sorted(part)]);
}
