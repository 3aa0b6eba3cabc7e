import { setTimeout as pause } from 'node:timers/promises';
import type { Principal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { isTemporalUnavailable } from '#api/temporal/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { ActionRefusal } from '#contract/responses';
import type { MessageResult } from '#core/conversation/state';
import { MAX_MEMO_RESULTS } from '#core/projections';
import { IDEMPOTENCY_CONFLICT } from './refusals';

/**
 * Look at the run, again and again for two seconds (`waitLimits.resultMs`), until it tells. `undefined`: no worker has
 * acted yet, or none is there, or Temporal has gone since; what it took is kept either way. `look` gets `undefined` where the
 * conversation was deleted meanwhile.
 */
export async function waitForMessageResult<T>(
  gateway: TemporalGateway,
  id: string,
  look: (run: Execution | undefined) => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  const workerWait = await gateway.workerPresence.expectWorker();
  if (!workerWait) return undefined;
  const backoff = gateway.pollBackoff.start();
  const deadline = Date.now() + gateway.waitLimits.resultMs;
  let run: Execution | undefined;
  try {
    do {
      await pause(Math.min(backoff.next(), Math.max(0, deadline - Date.now())));
      try {
        run = await gateway.find(id);
        const result = await look(run);
        if (result !== undefined) {
          if (!run?.isTaskUnclaimed) workerWait.seen();
          return result;
        }
      } catch (error) {
        if (!isTemporalUnavailable(error)) throw error;
      }
    } while (Date.now() < deadline);
  } finally {
    backoff.stop();
  }
  // One that was begun with has a worker, which may be stuck with it alone.
  if (run?.isTaskUnclaimed) workerWait.missed();
  return undefined;
}

/** What a request does, once, however often it is sent. */
export interface Idempotency {
  id: string;
  digest: string;
  /** Sent with an Idempotency-Key: it may be a repeat. */
  isKeyed: boolean;
}

/**
 * How every request that changes a conversation begins: finds the run that the caller may act on, and the result that an
 * earlier request with the same idempotency key had.
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

/** The result of this request, or of an earlier one with its key. */
export async function findEarlierResult(
  gateway: TemporalGateway,
  run: Execution,
  { id, isKeyed }: Idempotency,
): Promise<MessageResult | undefined> {
  const fromMemo = run.memo.messageResults.find((candidate) => candidate.id === id);
  if (fromMemo || !isKeyed) return fromMemo;
  // The memo has the newest, as of when the run parked or ended last; while the model is called it is not written.
  const isMemoComplete =
    run.memo.messageResults.length < MAX_MEMO_RESULTS && (isExecutionClosed(run) || run.memo.question !== null);
  return isMemoComplete ? undefined : gateway.findMessageResult(run, id);
}

/** The key was used before for a request with another body. */
export function hasOtherBody(earlier: MessageResult | undefined, { digest }: { digest: string }): boolean {
  return earlier !== undefined && earlier.digest !== digest;
}
