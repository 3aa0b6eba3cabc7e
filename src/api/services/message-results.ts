import type { Principal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { ActionRefusal } from '#contract/responses';
import type { MessageResult } from '#core/conversation/state';
import { MAX_MEMO_RESULTS } from '#core/projections';
import { IDEMPOTENCY_CONFLICT } from './refusals';

/**
 * Polls the run until `readResult` returns a value; undefined if no worker has acted by then. What Temporal accepted is
 * safe either way.
 */
export function waitForMessageResult<T>(
  gateway: TemporalGateway,
  id: string,
  readResult: (run: Execution | undefined) => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  return gateway.workerPresence.poll(() => gateway.find(id), readResult);
}

/** Identifies a request across retries, so that it takes effect once. */
export interface Idempotency {
  id: string;
  digest: string;
  /** Sent with an Idempotency-Key: it may be a repeat. */
  isKeyed: boolean;
}

/**
 * Finds the run that the caller may act on, and the result of an earlier request with the same idempotency key. Every
 * request that changes a conversation starts here.
 */
export async function findRunForAction(
  gateway: TemporalGateway,
  caller: Principal,
  conversationId: string,
  idempotency: Idempotency,
): Promise<{ status: 'found'; run: Execution; earlier: MessageResult | undefined } | ActionRefusal> {
  const found = await findActionable(gateway, caller, conversationId);
  if (found.status !== 'found') return found;
  const earlier = await findEarlierResult(gateway, found.run, idempotency);
  return hasOtherBody(earlier, idempotency) ? IDEMPOTENCY_CONFLICT : { ...found, earlier };
}

/** Returns the result of this request, or of an earlier one with the same key. */
export async function findEarlierResult(
  gateway: TemporalGateway,
  run: Execution,
  { id, isKeyed }: Idempotency,
): Promise<MessageResult | undefined> {
  const fromMemo = run.memo.messageResults.find((candidate) => candidate.id === id);
  if (fromMemo || !isKeyed) return fromMemo;
  // The memo holds the newest results as of when the run last parked or ended; it is not written during model calls.
  const isMemoComplete =
    run.memo.messageResults.length < MAX_MEMO_RESULTS && (isExecutionClosed(run) || run.memo.question !== null);
  return isMemoComplete ? undefined : gateway.findMessageResult(run, id);
}

/** Returns whether the key was used before for a request with a different body. */
export function hasOtherBody(earlier: MessageResult | undefined, { digest }: { digest: string }): boolean {
  return earlier !== undefined && earlier.digest !== digest;
}
