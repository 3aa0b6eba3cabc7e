import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '#api/middleware/errors';
import { isTemporalUnavailable } from '#api/temporal/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { MessageResult } from '#core/conversation/state';
import { MAX_MEMO_RESULTS } from '#core/projections';

/**
 * Look at the run, again and again for two seconds (`waitLimits.resultMs`), until it tells. `undefined`: no worker has
 * acted yet, or none is there, or Temporal has gone since; what it took is kept either way.
 */
export async function waitForMessageResult<T>(
  gateway: TemporalGateway,
  id: string,
  readResult: (run: Execution) => Promise<T | undefined> | T | undefined,
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
        const result = await readResult(run);
        if (result !== undefined) {
          if (!run.isTaskUnclaimed) workerWait.seen();
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

/** The result of this request, or of an earlier one with its key. Rejects the request if that had another body. */
export async function findEarlierResult(
  gateway: TemporalGateway,
  run: Execution,
  idempotency: Idempotency,
): Promise<MessageResult | undefined> {
  const result = await readMessageResult(gateway, run, idempotency);
  if (result) assertSameBody(result, idempotency);
  return result;
}

async function readMessageResult(
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

/** The same `Idempotency-Key` means the same request, or it means nothing. */
export function assertSameBody(earlier: Pick<MessageResult, 'digest'>, current: { digest: string }): void {
  if (earlier.digest === current.digest) return;
  throw new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key was used before with another body. Use a new key for a new request.',
  );
}
