import type { RequestHandler, Response } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit, type Store } from 'express-rate-limit';
import type { Config } from '#infra/config';
import type { Log } from '#infra/log';
import type { Caller } from './caller';
import { Refusal } from './errors';
import { redisStore } from './redis-store';

export interface Limits {
  handler: RequestHandler;
  stop(): Promise<void>;
}

const WINDOW_MS = 1_000;

/**
 * So many requests a second for each key, and for each address that sends none. One process counts by itself; several
 * count together in Redis.
 */
export async function createLimits({ rateLimit: limit, redisUrl }: Config, log: Log): Promise<Limits> {
  const { store, stop } = redisUrl ? await redisStore(redisUrl, WINDOW_MS, log) : ofThisProcess();
  const handler = rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    logger: log,
    keyGenerator: (request, response) => nameOf(response) ?? `address ${ipKeyGenerator(request.ip ?? '')}`,
    handler: (_request, response) => {
      response.setHeader('Retry-After', WINDOW_MS / 1_000);
      const detail = `More than ${limit} requests in a second. Wait a second and try again.`;
      throw new Refusal('rate_limited', detail);
    },
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
