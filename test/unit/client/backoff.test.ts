import { backoffDelayMs, sleepUnlessAborted } from '#client/backoff';

describe('the backoff', () => {
  const timing = { firstWaitMs: 100, longestWaitMs: 1_000, silenceMs: 0 };
  const spread = (failures: number, retryAfterMs?: number) =>
    Array.from({ length: 200 }, () => backoffDelayMs(timing, failures, retryAfterMs));

  it.each([
    [0, undefined, 100],
    [1, undefined, 200],
    [3, undefined, 800],
    [9, undefined, 1_000],
    [9, 300, 300],
    [0, 5_000, 1_000],
  ])(
    'after %d failures, with %s requested, takes %d ms, or up to half as long again',
    (failures, retryAfterMs, minimumMs) => {
      const waits = spread(failures, retryAfterMs);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(minimumMs);
      expect(Math.max(...waits)).toBeLessThanOrEqual(1.5 * minimumMs);
      expect(new Set(waits).size).toBeGreaterThan(100);
    },
  );

  it('ends at once when it is aborted', async () => {
    const abort = new AbortController();
    const waiting = sleepUnlessAborted(3_600_000, abort.signal);
    abort.abort();
    await waiting;
    await sleepUnlessAborted(3_600_000, abort.signal);
  });
});
