import type { RequestHandler, Response } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit } from 'express-rate-limit';
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
 * Limits requests per second for each key, and for each address without a key. Counted in memory for one process, or in
 * Redis for several.
 */
export async function createRateLimiters({ rateLimit: limit, redisUrl }: Config, log: Log): Promise<RateLimiters> {
  const memory = new MemoryStore();
  const { store, stop } = redisUrl
    ? await createRedisRateLimitStore(redisUrl, WINDOW_MS, log)
    : { store: memory, stop: async () => memory.shutdown() };
  const handler = rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    logger: log,
    keyGenerator(request, response) {
      const { caller } = (response as Response).locals as { caller?: Principal };
      return caller ? `key ${caller.name}` : `address ${ipKeyGenerator(request.ip ?? '')}`;
    },
    handler: (_request, response) => {
      response.setHeader('Retry-After', WINDOW_MS / 1_000);
      const detail = `Exceeded ${limit} requests per second. Retry in a second.`;
      throw new ApiError('rate_limited', detail);
    },
  });
  return { handler, stop };
}

/** Per key and process. A client with more streams probably forgets to close them. */
const MAX_STREAMS_PER_KEY = 1_000;

/** Limits the open streams of each key. Without API keys there is no limit. */
export function createStreamLimiter(recordStream: (serve: () => Promise<void>) => Promise<void> = (serve) => serve()) {
  const openStreams = new Map<string, number>();
  return async ({ name }: Principal, serve: () => Promise<void>): Promise<void> => {
    if (name === null) return recordStream(serve);
    const current = openStreams.get(name) ?? 0;
    if (current >= MAX_STREAMS_PER_KEY)
      throw new ApiError(
        'rate_limited',
        `${name} has reached the limit of ${MAX_STREAMS_PER_KEY} open streams. Close some first.`,
      );
    openStreams.set(name, current + 1);
    try {
      await recordStream(serve);
    } finally {
      const remaining = (openStreams.get(name) ?? 1) - 1;
      if (remaining > 0) openStreams.set(name, remaining);
      else openStreams.delete(name);
    }
  };
}
