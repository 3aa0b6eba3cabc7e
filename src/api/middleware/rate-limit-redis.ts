import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import type { Log } from '#infra/log';

/** A count that takes longer than this is not waited for. */
const ANSWER_MS = 500;

/**
 * Counts in Redis, to which it connects by itself, and again whenever it has to. While Redis is away, silent or at fault,
 * every request is let through at once: the counter must not take Parley down.
 */
export async function createRedisRateLimitStore(
  url: string,
  windowMs: number,
  log: Log,
): Promise<{ store: Store; stop(): Promise<void> }> {
  // Only where it is used: of all the modules that the API would load, every fifth is this client's.
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 1_000, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 1_000) },
  });
  let isCounting = true;
  let isSilent = false;

  function stumble(error: Error): void {
    if (isCounting) log.warn({ error: error.message || String(error) }, 'requests are not counted: no Redis');
    isCounting = false;
  }

  function recover(): void {
    if (!isCounting) log.info('requests are counted again');
    isCounting = true;
    isSilent = false;
  }

  async function count(key: string): Promise<ClientRateLimitInfo> {
    const counted = client.multi().set(key, 0, { PX: windowMs, NX: true }).incr(key).pTTL(key).exec();
    const [, totalHits, left] = (await counted) as unknown as [unknown, number, number];
    recover();
    return { totalHits, resetTime: new Date(Date.now() + left) };
  }

  const uncounted = () => ({ totalHits: 1, resetTime: new Date(Date.now() + windowMs) });

  const store: Store = {
    async increment(name) {
      // Redis's client would keep a transaction until it is connected.
      if (!client.isReady || isSilent) return uncounted();
      const counting = count(`parley:rate:${name}`).catch((error: Error) => {
        isSilent = false;
        stumble(error);
        return uncounted();
      });
      let timer: NodeJS.Timeout | undefined;
      const impatient = new Promise<ClientRateLimitInfo>((resolve) => {
        timer = setTimeout(() => {
          isSilent = true;
          stumble(new Error(`no answer in ${ANSWER_MS} ms`));
          resolve(uncounted());
        }, ANSWER_MS);
      });
      return Promise.race([counting, impatient]).finally(() => clearTimeout(timer));
    },
    // For limits that take requests back, which ours is not.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
  client.on('error', stumble);
  client.connect().catch(() => undefined);
  return { store, stop: async () => client.destroy() };
}
