import type { ClientTiming } from './options';

/** Returns the server's delay, else one that doubles with each failure. Jitter only adds to it. */
export function backoffDelayMs({ firstWaitMs, longestWaitMs }: ClientTiming, failures: number, retryAfterMs?: number) {
  const minimumMs = Math.min(retryAfterMs ?? firstWaitMs * 2 ** failures, longestWaitMs);
  return minimumMs * (1 + Math.random() / 2);
}

/** Resolves early when the signal is aborted; the caller must check it. */
export function sleepUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
    function wake(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    }
  });
}
