import type { RequestHandler, Response } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit, type Store } from 'express-rate-limit';
import type { Config } from '#infra/config';
import type { Log } from '#infra/log';
import type { Principal } from './authentication';
import { ApiError } from './errors';
import { createRedisRateLimitStore } from './rate-limit-redis';

export interface RateLimiters {
  handler: RequestHandler;
  stop(): Promise<void>;
}

const WINDOW_MS = 1_000;

/**
 * So many requests a second for each key, and for each address that sends none. One process counts by itself; several
 * count together in Redis.
 */
export async function createRateLimiters({ rateLimit: limit, redisUrl }: Config, log: Log): Promise<RateLimiters> {
  const { store, stop } = redisUrl ? await createRedisRateLimitStore(redisUrl, WINDOW_MS, log) : ofThisProcess();
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
      throw new ApiError('rate_limited', detail);
    },
  });
  return { handler, stop };
}

function nameOf(response: unknown): string | undefined {
  const { caller } = (response as Response).locals as { caller?: Principal };
  return caller && `key ${caller.name}`;
}

function ofThisProcess(): { store: Store; stop(): Promise<void> } {
  const store = new MemoryStore();
  return { store, stop: async () => store.shutdown() };
}

/** Of one key in one process; more is a program that forgets to close them. */
const MOST = 1_000;

/** Counts the streams that are open for each key. Where there are no keys there is no limit. */
export function createStreamLimiter(counted: (show: () => Promise<void>) => Promise<void> = (show) => show()) {
  const open = new Map<string, number>();
  return async ({ name }: Principal, show: () => Promise<void>): Promise<void> => {
    if (name === null) return counted(show);
    const before = open.get(name) ?? 0;
    if (before >= MOST)
      throw new ApiError('rate_limited', `${name} has ${MOST} streams open already. Close some first.`);
    open.set(name, before + 1);
    try {
      await counted(show);
    } finally {
      const left = (open.get(name) ?? 1) - 1;
      if (left > 0) open.set(name, left);
      else open.delete(name);
    }
  };
}
