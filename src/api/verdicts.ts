import { setTimeout as pause } from 'node:timers/promises';
import type { MessageResult } from '#core/conversation/state';
import { MAX_MEMO_RESULTS } from '#core/projections';
import { Refusal } from './errors';
import type { Gateway } from './gateway';
import { isClosed, type Run } from './run';
import { isTemporalDown } from './temporal-trouble';

/**
 * Look at the run, again and again for two seconds (the gateway's patience), until it tells. `undefined`: no worker has
 * acted yet, or none is there, or Temporal has gone since; what it took is kept either way.
 */
export async function untilTold<T>(
  gateway: Gateway,
  id: string,
  look: (run: Run) => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  const waiting = await gateway.attendance.begin();
  if (!waiting) return undefined;
  const looking = gateway.pace.join();
  const deadline = Date.now() + gateway.patience.verdictMs;
  let run: Run | undefined;
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
        if (!isTemporalDown(error)) throw error;
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
export interface Once {
  id: string;
  digest: string;
  /** Sent with an Idempotency-Key: it may be a repeat. */
  isKeyed: boolean;
}

/** The verdict on this request, or on an earlier one with its key; it is refused if that had another body. */
export async function earlierVerdict(gateway: Gateway, run: Run, once: Once): Promise<MessageResult | undefined> {
  const verdict = await verdictOf(gateway, run, once);
  if (verdict) refuseOtherBody(verdict, once);
  return verdict;
}

async function verdictOf(gateway: Gateway, run: Run, { id, isKeyed }: Once): Promise<MessageResult | undefined> {
  const shown = run.memo.verdicts.find((verdict) => verdict.id === id);
  if (shown || !isKeyed) return shown;
  // The memo has the newest, as of when the run parked or ended last; while the model is called it is not written.
  const isAllThere = run.memo.verdicts.length < MAX_MEMO_RESULTS && (isClosed(run) || run.memo.question !== null);
  return isAllThere ? undefined : gateway.verdict(run, id);
}

/** The same `Idempotency-Key` means the same request, or it means nothing. */
export function refuseOtherBody(earlier: Pick<MessageResult, 'digest'>, now: { digest: string }): void {
  if (earlier.digest === now.digest) return;
  throw new Refusal(
    'idempotency_conflict',
    'This Idempotency-Key was used before with another body. Use a new key for a new request.',
  );
}
