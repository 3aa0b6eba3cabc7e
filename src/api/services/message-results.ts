import { ApiError } from '#api/middleware/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { MessageResult } from '#core/conversation/state';
import { MAX_MEMO_RESULTS } from '#core/projections';

/** Polls the run until `readResult` returns a value; undefined if no worker has acted by then. What Temporal accepted is safe either way. */
export function waitForMessageResult<T>(
  gateway: TemporalGateway,
  id: string,
  readResult: (run: Execution) => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  return gateway.workerPresence.poll(() => gateway.find(id), readResult);
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
