import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import type { Log } from '#infra/log';
import { withTimeout } from '#infra/with-timeout';

/** Requests are let through uncounted when Redis takes longer than this. */
const REPLY_TIMEOUT_MS = 500;

/**
 * Counts requests in Redis, with automatic connects and reconnects. While Redis is down, slow or failing, every request
 * is let through at once: the counter must not take Parley down.
 */
export async function createRedisRateLimitStore(
  url: string,
  windowMs: number,
  log: Log,
): Promise<{ store: Store; stop(): Promise<void> }> {
  // Loaded on demand: a fifth of the modules that the API would load belong to this client.
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 1_000, reconnectStrategy: (attempts) => Math.min(100 * 2 ** attempts, 1_000) },
  });
  let isCounting = true;
  let isUnresponsive = false;

  function markUnavailable(error: Error): void {
    if (isCounting) log.warn({ error: error.message || String(error) }, "can't reach Redis; rate limits are off");
    isCounting = false;
  }

  function markAvailable(): void {
    if (!isCounting) log.info('Redis is back; rate limits are on');
    isCounting = true;
    isUnresponsive = false;
  }

  async function count(key: string): Promise<ClientRateLimitInfo> {
    const reply = client.multi().set(key, 0, { PX: windowMs, NX: true }).incr(key).pTTL(key).exec();
    const [, totalHits, remainingMs] = (await reply) as unknown as [unknown, number, number];
    markAvailable();
    return { totalHits, resetTime: new Date(Date.now() + remainingMs) };
  }

  const uncounted = () => ({ totalHits: 1, resetTime: new Date(Date.now() + windowMs) });

  const store: Store = {
    async increment(name) {
      // Redis' client would queue a transaction until it is connected.
      if (!client.isReady || isUnresponsive) return uncounted();
      const counted = count(`parley:rate:${name}`).catch((error: Error) => {
        isUnresponsive = false;
        markUnavailable(error);
        return uncounted();
      });
      return withTimeout<ClientRateLimitInfo>(counted, REPLY_TIMEOUT_MS, () => {
        isUnresponsive = true;
        markUnavailable(new Error(`no response within ${REPLY_TIMEOUT_MS} ms`));
        return uncounted();
      });
    },
    // Only for limits that give requests back, which this one does not.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
  client.on('error', markUnavailable);
  client.connect().catch(() => undefined);
  return { store, stop: async () => client.destroy() };
}
