import { defaultGrpcRetryOptions, type GrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { GRPC } from './grpc';

type Status = Parameters<GrpcRetryOptions['delayFunction']>[1];

const LONGEST_MS = 1_000;
const BUSY_MS = 15;

/** A run takes one query while a task is pending; that is over in milliseconds, and not for seconds as the SDK fears. */
function isBusyRun({ code, details }: Status): boolean {
  return code === GRPC.RESOURCE_EXHAUSTED && /query buffer/i.test(details);
}

/**
 * Calls that fail in passing are made again, as the SDK does. It forgets those that wait for their turn when the
 * connection closes: their timers then throw where nobody can catch it. `settle` lets them have it first.
 */
export function createRetries() {
  const usual = defaultGrpcRetryOptions();
  const turns = new Set<Promise<void>>();
  let isClosing = false;
  /** The SDK sets its timer right after this one, for as long: by the time this one resolves, both have fired. */
  const noteTurn = (waits: number) => {
    const turn = new Promise<void>((resolve) => setTimeout(() => setImmediate(resolve), waits)).then(() => {
      turns.delete(turn);
    });
    turns.add(turn);
  };
  const interceptor = makeGrpcRetryInterceptor({
    delayFunction(attempt, status) {
      const delay = isBusyRun(status) ? BUSY_MS * 1.7 ** attempt : usual.delayFunction(attempt, status);
      const waits = Math.min(delay, LONGEST_MS);
      noteTurn(waits);
      return waits;
    },
    retryableDecider: (attempt, status) => !isClosing && usual.retryableDecider(attempt, status),
  });
  return {
    interceptor,
    async settle(): Promise<void> {
      isClosing = true;
      await Promise.all(turns);
    },
  };
}
