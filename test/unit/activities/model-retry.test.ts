import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { attemptModelCall } from '#activities/model-retry';
import { type Model, ModelError } from '#models/model';

const HOUR = 3_600_000;
const logger = new DefaultLogger('ERROR');

const model: Model = { generate: () => Promise.reject(new Error('unused')), contextWindow: () => undefined };
const overloaded = (retryAfterMs?: number) => new ModelError('model_overloaded', 'Overloaded', retryAfterMs);
const unavailable = new ModelError('model_unavailable', 'Gone');

/** Attempts the call until it is given up, as Temporal does. Returns the delay before each further attempt. */
async function attemptUntilFinal(fail: (attempt: number) => unknown) {
  const delays: number[] = [];
  let heartbeatDetails: unknown;
  for (let attempt = 1; ; attempt += 1) {
    const env = new MockActivityEnvironment({ attempt, heartbeatDetails }, { logger });
    env.on('heartbeat', (details: unknown) => {
      heartbeatDetails = details;
    });
    const failure: ApplicationFailure = await env
      .run(() =>
        attemptModelCall({ model, overloadLimitMs: 24 * HOUR }, {}, async () => {
          throw fail(attempt);
        }),
      )
      .then(
        () => undefined as never,
        (error) => error,
      );
    if (failure.nonRetryable) return { delays, failure };
    delays.push(Number(failure.nextRetryDelay));
  }
}

describe('the attempts at a model call', () => {
  it.each([0, 1_000, 5_000])('back off at least as long as without a retry-after of %s ms', async (retryAfterMs) => {
    const { delays } = await attemptUntilFinal(() => overloaded(retryAfterMs));
    for (const [at, delay] of delays.entries()) {
      expect(delay).toBeGreaterThanOrEqual(Math.max(retryAfterMs, Math.min(1_000 * 2 ** at, 120_000) / 2));
      expect(delay).toBeLessThanOrEqual(Math.max(retryAfterMs * 1.1, Math.min(1_000 * 2 ** at, 120_000)));
    }
    expect(new Set(delays.slice(10)).size).toBeGreaterThan(100);
  });

  it('end after a day of overload, not counting other failures in between', async () => {
    const { delays, failure } = await attemptUntilFinal((n) =>
      n % 10 === 0 && n <= 100 ? unavailable : overloaded(HOUR / 6),
    );
    expect(failure.type).toBe('model_overloaded');
    expect(delays.reduce((sum, delay) => sum + delay)).toBeGreaterThan(23 * HOUR);
    expect(delays.reduce((sum, delay) => sum + delay)).toBeLessThan(25 * HOUR);
  });

  it('end after 20 other failures', async () => {
    const { delays, failure } = await attemptUntilFinal((n) => (n <= 30 ? overloaded() : unavailable));
    expect(failure.type).toBe('model_unavailable');
    expect(delays).toHaveLength(49);
  });

  it('end if 20 of them killed their worker, which reports nothing', async () => {
    const env = new MockActivityEnvironment({ attempt: 21 }, { logger });
    const attempt = env.run(() =>
      attemptModelCall({ model, overloadLimitMs: HOUR }, {}, () => Promise.reject(new Error('called again'))),
    );
    await expect(attempt).rejects.toMatchObject({ type: 'model_unavailable', nonRetryable: true });
  });
});
