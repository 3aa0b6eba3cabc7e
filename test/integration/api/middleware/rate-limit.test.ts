import type { Problem } from '#contract/problem';
import { collectLog } from '#test/support/collect-log';
import { type FakeRedis, startFakeRedis } from '#test/support/fake-servers/redis';
import {
  type ApiResponse,
  type CallApi,
  createApiCaller,
  startParley,
  type TestParley,
  type TestParleySettings,
} from '#test/support/parley/start-parley';

const LIMIT = 5;
const KEYS: TestParleySettings['keys'] = { ann: ['conversations:read'], bob: ['conversations:read'] };

const getSession = (call: CallApi, headers?: Record<string, string>) =>
  call<Problem>('GET', '/v1/session', undefined, headers);
const remainingOf = ({ headers }: ApiResponse<unknown>) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
const statuses = (replies: ApiResponse<unknown>[]) => replies.map(({ status }) => status).sort();

/** Sends this many requests in one window. The first of a window is recognized by its remaining count. */
async function sendBurst(count: number, send: () => Promise<ApiResponse<Problem>>): Promise<ApiResponse<Problem>[]> {
  for (;;) {
    const startedAt = Date.now();
    const first = await send();
    if (remainingOf(first) !== LIMIT - 1) continue;
    const others = await Promise.all(Array.from({ length: count - 1 }, send));
    if (Date.now() - startedAt < 900) return [first, ...others];
  }
}

describe('the rate limit of one process', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ startsWorker: false, keys: KEYS, env: { PARLEY_RATE_LIMIT: String(LIMIT) } });
  });
  afterAll(() => p.stop());

  it('rejects a key with too many requests, says when to retry, and spares other keys', async () => {
    const replies = await sendBurst(LIMIT + 1, () => getSession(p.callAs('ann')));
    expect(statuses(replies)).toEqual([...Array(LIMIT).fill(200), 429]);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'rate_limited', status: 429, title: 'Too many requests' });
    expect(refused?.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect((await getSession(p.callAs('bob'))).status).toBe(200);
  });

  it('allows the key again when the second is over', async () => {
    await sendBurst(LIMIT + 1, () => getSession(p.callAs('ann')));
    const again = await sendBurst(1, () => getSession(p.callAs('ann')));
    expect(statuses(again)).toEqual([200]);
  });

  it('counts requests without a valid key by address, and not against callers with one', async () => {
    const unauthorizedCalls = ['', 'parley_wrong', 'parley_other'].map((key) => createApiCaller(p.url, key));
    let turn = 0;
    const replies = await sendBurst(LIMIT + 2, () => getSession(unauthorizedCalls[turn++ % 3] as CallApi));
    expect(statuses(replies)).toEqual([...Array(LIMIT).fill(401), 429, 429]);
    expect((await getSession(p.callAs('bob'))).status).toBe(200);
  });

  it('does not trust an address in a header', async () => {
    let turn = 0;
    const replies = await sendBurst(LIMIT + 1, () =>
      getSession(createApiCaller(p.url), {
        'x-forwarded-for': `192.0.2.${turn++}`,
        forwarded: `for=192.0.2.${turn}`,
      }),
    );
    expect(statuses(replies)).toContain(429);
  });

  it('applies to the readiness check, which asks Temporal, and not to the liveness check', async () => {
    const call = createApiCaller(p.url);
    const alive = await Promise.all(Array.from({ length: 50 }, () => call('GET', '/healthz', undefined)));
    expect(new Set(statuses(alive))).toEqual(new Set([200]));
    expect(statuses(await sendBurst(LIMIT + 1, () => call('GET', '/readyz', undefined)))).toContain(429);
  });
});

it('counts by the address that the last trusted proxy saw', async () => {
  const p = await startParley({
    startsWorker: false,
    keys: KEYS,
    env: { PARLEY_RATE_LIMIT: String(LIMIT), PARLEY_TRUST_PROXY: '1' },
  });
  let turn = 0;
  const burstFrom = (address: string) =>
    sendBurst(LIMIT + 1, () =>
      getSession(createApiCaller(p.url), { 'x-forwarded-for': `198.51.100.${turn++}, ${address}` }),
    ).then(statuses);
  expect(await burstFrom('192.0.2.1')).toContain(429);
  expect(await burstFrom('192.0.2.2')).toContain(429);
  expect((await getSession(createApiCaller(p.url), { 'x-forwarded-for': '192.0.2.3' })).status).toBe(401);
  await p.stop();
});

it('does not apply without keys', async () => {
  const p = await startParley({ startsWorker: false, env: { PARLEY_RATE_LIMIT: '5' } });
  const replies = await Promise.all(Array.from({ length: 300 }, () => getSession(p.call)));
  expect(new Set(statuses(replies))).toEqual(new Set([200]));
  expect(replies[0]?.headers.get('ratelimit')).toBeNull();
  await p.stop();
});

describe('the rate limit of several processes, counted in Redis', () => {
  let redis: FakeRedis;
  let p: TestParley;
  let log: ReturnType<typeof collectLog>;
  beforeEach(async () => {
    redis = await startFakeRedis();
    log = collectLog();
  });
  afterEach(async () => {
    await p.stop();
    await redis.stop().catch(() => undefined);
  });

  const settings = (): TestParleySettings => ({
    startsWorker: false,
    keys: KEYS,
    log: log.log,
    env: { PARLEY_RATE_LIMIT: String(LIMIT), PARLEY_REDIS_URL: redis.url },
  });
  const isUncountedWarning = ({ msg }: Record<string, unknown>) => /rate limits are off/.test(String(msg));
  /** Waits until requests are counted: a connection is ready a moment after it opens. */
  async function waitUntilCounted(call: CallApi): Promise<void> {
    while (redis.counts.size === 0) await getSession(call);
    redis.expire();
  }

  it('is shared by all of them', async () => {
    p = await startParley(settings());
    const other = await p.startAnotherApi();
    await redis.waitForConnections(2);
    await waitUntilCounted(p.call);
    await waitUntilCounted(other.call);
    const replies: ApiResponse<Problem>[] = [];
    for (let turn = 0; turn < LIMIT + 2; turn += 1) replies.push(await getSession(turn % 2 ? other.call : p.call));
    expect(replies.map(({ status }) => status)).toEqual([...Array(LIMIT).fill(200), 429, 429]);
    expect(replies.at(-1)?.headers.get('retry-after')).toBe('1');
    expect((await getSession(p.callAs('bob'))).status).toBe(200);
    expect([...redis.counts]).toEqual([
      ['parley:rate:key ann', LIMIT + 2],
      ['parley:rate:key bob', 1],
    ]);
    redis.expire();
    expect((await getSession(p.call)).status).toBe(200);
    await other.stop();
  });

  it('is counted atomically, and expires by itself', async () => {
    p = await startParley(settings());
    await waitUntilCounted(p.call);
    redis.commands.splice(0);
    await getSession(p.call);
    const key = 'parley:rate:key ann';
    expect(redis.commands).toEqual([
      ['MULTI'],
      ['SET', key, '0', 'PX', '1000', 'NX'],
      ['INCR', key],
      ['PTTL', key],
      ['EXEC'],
    ]);
  });

  it('never stores keys in Redis', async () => {
    p = await startParley(settings());
    await waitUntilCounted(p.call);
    await getSession(p.call);
    await getSession(createApiCaller(p.url, 'parley_wrong'));
    const seen = JSON.stringify(redis.commands);
    expect(seen).toContain('address ');
    for (const key of [p.apiKey('ann'), 'parley_wrong']) expect(seen).not.toContain(key);
  });

  it('lets all requests pass if Redis is down at the start, and logs it once', async () => {
    await redis.stop();
    p = await startParley(settings());
    const replies = await Promise.all(Array.from({ length: 20 }, () => getSession(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    expect(await log.waitForLine(isUncountedWarning)).toMatchObject({
      level: 40,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    await redis.start();
    await redis.waitForConnections(1);
    await waitUntilCounted(p.call);
    expect(log.lines().filter(isUncountedWarning)).toHaveLength(1);
    expect(log.lines().map(({ msg }) => msg)).toContain('Redis is back; rate limits are on');
  });

  it('lets all requests pass while Redis is down, and counts again when it is back', async () => {
    p = await startParley(settings());
    await waitUntilCounted(p.call);
    await redis.stop();
    const replies = await Promise.all(Array.from({ length: 20 }, () => getSession(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    await log.waitForLine(isUncountedWarning);
    await redis.start();
    await redis.waitForConnections(1);
    await waitUntilCounted(p.call);
    const countedReplies = await Promise.all(Array.from({ length: LIMIT + 1 }, () => getSession(p.call)));
    expect(statuses(countedReplies)).toContain(429);
  });

  it('does not wait for a Redis that hangs, and counts again when it responds', async () => {
    p = await startParley(settings());
    await waitUntilCounted(p.call);
    redis.pauseReplies();
    const replies = await Promise.all(Array.from({ length: 20 }, () => getSession(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    await log.waitForLine(isUncountedWarning);
    const commandCount = redis.commands.length;
    expect((await getSession(p.call)).status).toBe(200);
    expect(redis.commands).toHaveLength(commandCount);
    redis.expire();
    redis.resumeReplies();
    await waitUntilCounted(p.call);
  });

  it('lets all requests pass if Redis returns errors', async () => {
    p = await startParley(settings());
    await waitUntilCounted(p.call);
    redis.failCommands('OOM command not allowed when used memory is over its limit');
    const replies = await Promise.all(Array.from({ length: 20 }, () => getSession(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    expect((await log.waitForLine(isUncountedWarning)).error).toContain('OOM');
    redis.failCommands(undefined);
    await waitUntilCounted(p.call);
  });

  it('does not wait for a Redis that accepts connections and never responds', async () => {
    redis.pauseReplies();
    p = await startParley(settings());
    await redis.waitForConnections(1);
    expect((await getSession(p.call)).status).toBe(200);
    redis.resumeReplies();
    await waitUntilCounted(p.call);
  });

  it.each([
    ['while Redis is away', () => redis.stop()],
    ['while Redis does not respond', async () => redis.pauseReplies()],
    ['before Redis has responded', async () => undefined],
  ])('stops cleanly %s', async (_when, breakRedis) => {
    p = await startParley(settings());
    const other = await p.startAnotherApi();
    await waitUntilCounted(p.call);
    await breakRedis();
    await getSession(other.call);
    await other.stop();
    await expect(getSession(other.call)).rejects.toThrow('fetch failed');
  });
});
