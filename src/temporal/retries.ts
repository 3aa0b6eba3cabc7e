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
  let isClosing = false;
  let lastTurn = 0;
  const interceptor = makeGrpcRetryInterceptor({
    delayFunction(attempt, status) {
      const delay = isBusyRun(status) ? BUSY_MS * 1.7 ** attempt : usual.delayFunction(attempt, status);
      const waits = Math.min(delay, LONGEST_MS);
      lastTurn = Math.max(lastTurn, Date.now() + waits);
      return waits;
    },
    retryableDecider: (attempt, status) => !isClosing && usual.retryableDecider(attempt, status),
  });
  return {
    interceptor,
    async settle(): Promise<void> {
      isClosing = true;
      const left = lastTurn - Date.now();
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left + 10));
    },
  };
}
