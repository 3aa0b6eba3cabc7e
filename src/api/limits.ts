import { createClient } from '@redis/client';
import type { RequestHandler, Response } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit, type Store } from 'express-rate-limit';
import type { Config } from '../config';
import type { Log } from '../log';
import type { Caller } from './caller';
import { Refusal } from './errors';

export interface Limits {
  handler: RequestHandler;
  stop(): Promise<void>;
}

const WINDOW_MS = 1_000;

/**
 * So many requests a second for each key, and for each address that sends none. One process counts by itself; several
 * count together in Redis. A counter that cannot be reached lets requests through: it must not take Parley down.
 */
export function createLimits({ rateLimit: limit, redisUrl }: Config, log: Log): Limits {
  const { store, stop } = redisUrl ? redisStore(redisUrl, log) : ofThisProcess();
  const handler = rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    passOnStoreError: true,
    keyGenerator: (request, response) => nameOf(response) ?? `address ${ipKeyGenerator(request.ip ?? '')}`,
    handler: (_request, _response, next) =>
      next(
        new Refusal('rate_limited', `More than ${limit} requests in a second. Wait a second and try again.`),
      ),
  });
  return { handler, stop };
}

function nameOf(response: unknown): string | undefined {
  const { caller } = (response as Response).locals as { caller?: Caller };
  return caller && `key ${caller.name}`;
}

function ofThisProcess(): { store: Store; stop(): Promise<void> } {
  const store = new MemoryStore();
  return { store, stop: async () => store.shutdown() };
}

/** Connects by itself, and again whenever it has to; while it cannot, every count fails at once. */
function redisStore(url: string, log: Log): { store: Store; stop(): Promise<void> } {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 1_000, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 5_000) },
  });
  client.on('error', (error: Error) =>
    log.warn({ error: error.message }, 'requests are not counted: Redis cannot be reached'),
  );
  client.connect().catch(() => undefined);
  const named = (key: string) => `parley:rate:${key}`;
  const store: Store = {
    async increment(key) {
      const counted = client.multi().set(named(key), 0, { PX: WINDOW_MS, NX: true }).incr(named(key));
      const [, totalHits, left] = (await counted.pTTL(named(key)).exec()) as unknown as [
        unknown,
        number,
        number,
      ];
      return { totalHits, resetTime: new Date(Date.now() + Math.max(left, 0)) };
    },
    decrement: async (key) => void (await client.decr(named(key))),
    resetKey: async (key) => void (await client.del(named(key))),
  };
  return { store, stop: async () => client.destroy() };
}
