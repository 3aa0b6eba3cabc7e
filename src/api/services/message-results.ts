import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '#api/middleware/errors';
import { isTemporalUnavailable } from '#api/temporal/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { MessageResult } from '#core/conversation/state';
import { MAX_MEMO_RESULTS } from '#core/projections';

/**
 * Look at the run, again and again for two seconds (the gateway's patience), until it tells. `undefined`: no worker has
 * acted yet, or none is there, or Temporal has gone since; what it took is kept either way.
 */
export async function waitForMessageResult<T>(
  gateway: TemporalGateway,
  id: string,
  look: (run: Execution) => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  const waiting = await gateway.attendance.begin();
  if (!waiting) return undefined;
  const looking = gateway.pace.join();
  const deadline = Date.now() + gateway.patience.verdictMs;
  let run: Execution | undefined;
  try {
    do {
      await pause(Math.min(looking.next(), Math.max(0, deadline - Date.now())));
      try {
        run = await gateway.find(id);
        const told = await look(run);
        if (told !== undefined) {
          if (!run.isUntaken) waiting.met();
          return told;
        }
      } catch (error) {
        if (!isTemporalUnavailable(error)) throw error;
      }
    } while (Date.now() < deadline);
  } finally {
    looking.leave();
  }
  // One that was begun with has a worker, which may be stuck with it alone.
  if (run?.isUntaken) waiting.missed();
  return undefined;
}

/** What a request does, once, however often it is sent. */
export interface Idempotency {
  id: string;
  digest: string;
  /** Sent with an Idempotency-Key: it may be a repeat. */
  isKeyed: boolean;
}

/** The verdict on this request, or on an earlier one with its key; it is refused if that had another body. */
export async function findEarlierResult(
  gateway: TemporalGateway,
  run: Execution,
  once: Idempotency,
): Promise<MessageResult | undefined> {
  const verdict = await verdictOf(gateway, run, once);
  if (verdict) assertSameBody(verdict, once);
  return verdict;
}

async function verdictOf(
  gateway: TemporalGateway,
  run: Execution,
  { id, isKeyed }: Idempotency,
): Promise<MessageResult | undefined> {
  const shown = run.memo.verdicts.find((verdict) => verdict.id === id);
  if (shown || !isKeyed) return shown;
  // The memo has the newest, as of when the run parked or ended last; while the model is called it is not written.
  const isAllThere =
    run.memo.verdicts.length < MAX_MEMO_RESULTS && (isExecutionClosed(run) || run.memo.question !== null);
  return isAllThere ? undefined : gateway.verdict(run, id);
}

/** The same `Idempotency-Key` means the same request, or it means nothing. */
export function assertSameBody(earlier: Pick<MessageResult, 'digest'>, now: { digest: string }): void {
  if (earlier.digest === now.digest) return;
  throw new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key was used before with another body. Use a new key for a new request.',
  );
}
