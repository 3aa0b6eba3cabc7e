import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import type { Principal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { ApiError, orThrowRefusal, refusalError } from '#api/middleware/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { MessageResult } from '#core/conversation/state';
import { canonicalJson } from '#core/digest';
import { MAX_MEMO_RESULTS } from '#core/projections';
import { conversationNotFound, IDEMPOTENCY_CONFLICT } from './refusals';

/** Identifies a request across retries, so that it takes effect once. */
export interface Idempotency {
  id: string;
  digest: string;
  /** Sent with an Idempotency-Key: it may be a repeat. */
  isKeyed: boolean;
}

/**
 * Returns an id for the request's effect. A retry by the same caller with the same key has the same id; no other
 * request does.
 */
export function idempotencyFromHeader(
  request: Pick<Request, 'get'>,
  secret: string,
  caller: Principal,
  operation: string[],
  body: unknown,
  header: 'Idempotency-Key' | 'webhook-id' = 'Idempotency-Key',
): Idempotency {
  const key = request.get(header);
  if (key === undefined) return { id: randomBytes(12).toString('hex'), digest: digestOf(body), isKeyed: false };
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

/**
 * Returns the result of this request, or of an earlier one with the same key; `null` if there is none. Undefined if only
 * a worker can tell and none is present.
 */
export async function findEarlierResult(
  gateway: TemporalGateway,
  run: Execution,
  { id, isKeyed }: Idempotency,
): Promise<MessageResult | null | undefined> {
  const { messageResults, question } = run.memo;
  const fromMemo = messageResults.find((candidate) => candidate.id === id);
  if (fromMemo || !isKeyed) return fromMemo ?? null;
  // The memo holds the newest results as of when the run last parked or ended; it is not written during model calls.
  const isMemoComplete = messageResults.length < MAX_MEMO_RESULTS && (isExecutionClosed(run) || question !== null);
  return isMemoComplete ? null : gateway.findMessageResult(run, id);
}

/** Returns the run that the caller may act on, and the result of an earlier request with the same idempotency key. */
export async function requireActionable(
  gateway: TemporalGateway,
  caller: Principal,
  conversationId: string,
  idempotency: Idempotency,
): Promise<{ run: Execution; earlier: MessageResult | undefined }> {
  const { run } = orThrowRefusal(await findActionable(gateway, caller, conversationId));
  return { run, earlier: (await requireSameBody(gateway, run, idempotency)) ?? undefined };
}

/**
 * Polls the run until `look` returns a value for it and the result of this request; undefined if no worker has acted by
 * then. What Temporal accepted is safe either way.
 */
export function awaitResult<T>(
  gateway: TemporalGateway,
  conversationId: string,
  idempotency: Idempotency,
  look: (run: Execution, result: MessageResult | undefined) => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  return gateway.workerPresence.poll(
    () => gateway.find(conversationId),
    async (run) => {
      if (!run) throw refusalError(conversationNotFound(conversationId));
      return look(run, (await requireSameBody(gateway, run, idempotency)) ?? undefined);
    },
  );
}

async function requireSameBody(gateway: TemporalGateway, run: Execution, idempotency: Idempotency) {
  const result = await findEarlierResult(gateway, run, idempotency);
  if (result && result.digest !== idempotency.digest) throw refusalError(IDEMPOTENCY_CONFLICT);
  return result;
}
