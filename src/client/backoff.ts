import type { ClientTiming } from './options';

/** What the server asks for, else longer after each failure. Never sooner, and not everybody at once. */
export function backoffDelayMs(
  { firstWaitMs, longestWaitMs }: ClientTiming,
  failures: number,
  askedMs?: number,
): number {
  const least = Math.min(askedMs ?? firstWaitMs * 2 ** failures, longestWaitMs);
  return least * (1 + Math.random() / 2);
}

/** Over early when the signal is aborted; whoever waits has to look. */
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
