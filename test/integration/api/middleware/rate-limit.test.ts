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

const ask = (call: CallApi, headers?: Record<string, string>) =>
  call<Problem>('GET', '/v1/session', undefined, headers);
const left = ({ headers }: ApiResponse<unknown>) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
const statuses = (replies: ApiResponse<unknown>[]) => replies.map(({ status }) => status).sort();

/** That many requests in one window: the first of a window is known by what it has left. */
async function burst(count: number, send: () => Promise<ApiResponse<Problem>>): Promise<ApiResponse<Problem>[]> {
  for (;;) {
    const began = Date.now();
    const first = await send();
    if (left(first) !== LIMIT - 1) continue;
    const rest = await Promise.all(Array.from({ length: count - 1 }, send));
    if (Date.now() - began < 900) return [first, ...rest];
  }
}

describe('the rate limit of one process', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ worker: false, keys: KEYS, env: { PARLEY_RATE_LIMIT: String(LIMIT) } });
  });
  afterAll(() => p.stop());

  it('refuses a key that asks too often, says when to try again, and leaves other keys alone', async () => {
    const replies = await burst(LIMIT + 1, () => ask(p.as('ann')));
    expect(statuses(replies)).toEqual([...Array(LIMIT).fill(200), 429]);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'rate_limited', status: 429, title: 'Too many requests' });
    expect(refused?.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect((await ask(p.as('bob'))).status).toBe(200);
  });

  it('lets the key on when the second is over', async () => {
    await burst(LIMIT + 1, () => ask(p.as('ann')));
    const again = await burst(1, () => ask(p.as('ann')));
    expect(statuses(again)).toEqual([200]);
  });

  it('counts those without a good key by their address, and not against anybody with one', async () => {
    const bad = ['', 'parley_wrong', 'parley_other'].map((key) => createApiCaller(p.url, key));
    let turn = 0;
    const replies = await burst(LIMIT + 2, () => ask(bad[turn++ % 3] as CallApi));
    expect(statuses(replies)).toEqual([...Array(LIMIT).fill(401), 429, 429]);
    expect((await ask(p.as('bob'))).status).toBe(200);
  });

  it('does not believe an address that anybody can write into a header', async () => {
    let turn = 0;
    const replies = await burst(LIMIT + 1, () =>
      ask(createApiCaller(p.url), {
        'x-forwarded-for': `192.0.2.${turn++}`,
        forwarded: `for=192.0.2.${turn}`,
      }),
    );
    expect(statuses(replies)).toContain(429);
  });

  it('never refuses whoever watches over the process', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => createApiCaller(p.url)('GET', '/healthz', undefined)),
    );
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
  });
});

it('counts by the address that the last proxy saw, where one is said to stand before', async () => {
  const p = await startParley({
    worker: false,
    keys: KEYS,
    env: { PARLEY_RATE_LIMIT: String(LIMIT), PARLEY_TRUST_PROXY: '1' },
  });
  let turn = 0;
  const from = (address: string) =>
    burst(LIMIT + 1, () => ask(createApiCaller(p.url), { 'x-forwarded-for': `198.51.100.${turn++}, ${address}` })).then(
      statuses,
    );
  expect(await from('192.0.2.1')).toContain(429);
  expect(await from('192.0.2.2')).toContain(429);
  expect((await ask(createApiCaller(p.url), { 'x-forwarded-for': '192.0.2.3' })).status).toBe(401);
  await p.stop();
});

it('has no limit where no keys are set', async () => {
  const p = await startParley({ worker: false, env: { PARLEY_RATE_LIMIT: '5' } });
  const replies = await Promise.all(Array.from({ length: 300 }, () => ask(p.call)));
  expect(new Set(statuses(replies))).toEqual(new Set([200]));
  expect(replies[0]?.headers.get('ratelimit')).toBeNull();
  await p.stop();
});

describe('the rate limit of several processes, which count in Redis', () => {
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
    worker: false,
    keys: KEYS,
    log: log.log,
    env: { PARLEY_RATE_LIMIT: String(LIMIT), PARLEY_REDIS_URL: redis.url },
  });
  const uncounted = ({ msg }: Record<string, unknown>) => /not counted/.test(String(msg));
  /** Until requests are counted: a connection is ready a moment after it is open. */
  async function untilCounted(call: CallApi): Promise<void> {
    while (redis.counts.size === 0) await ask(call);
    redis.expire();
  }

  it('is one for all of them', async () => {
    p = await startParley(settings());
    const other = await p.anotherApi();
    await redis.connected(2);
    await untilCounted(p.call);
    await untilCounted(other.call);
    const replies: ApiResponse<Problem>[] = [];
    for (let turn = 0; turn < LIMIT + 2; turn += 1) replies.push(await ask(turn % 2 ? other.call : p.call));
    expect(replies.map(({ status }) => status)).toEqual([...Array(LIMIT).fill(200), 429, 429]);
    expect(replies.at(-1)?.headers.get('retry-after')).toBe('1');
    expect((await ask(p.as('bob'))).status).toBe(200);
    expect([...redis.counts]).toEqual([
      ['parley:rate:key ann', LIMIT + 2],
      ['parley:rate:key bob', 1],
    ]);
    redis.expire();
    expect((await ask(p.call)).status).toBe(200);
    await other.stop();
  });

  it('is counted in one step that nothing comes between, and ends by itself', async () => {
    p = await startParley(settings());
    await untilCounted(p.call);
    redis.commands.splice(0);
    await ask(p.call);
    const key = 'parley:rate:key ann';
    expect(redis.commands).toEqual([
      ['MULTI'],
      ['SET', key, '0', 'PX', '1000', 'NX'],
      ['INCR', key],
      ['PTTL', key],
      ['EXEC'],
    ]);
  });

  it('never holds keys in Redis', async () => {
    p = await startParley(settings());
    await untilCounted(p.call);
    await ask(p.call);
    await ask(createApiCaller(p.url, 'parley_wrong'));
    const seen = JSON.stringify(redis.commands);
    expect(seen).toContain('address ');
    for (const key of [p.key('ann'), 'parley_wrong']) expect(seen).not.toContain(key);
  });

  it('lets everybody through where Redis is not there at the start, and says so once', async () => {
    await redis.stop();
    p = await startParley(settings());
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    expect(await log.until(uncounted)).toMatchObject({
      level: 40,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    await redis.start();
    await redis.connected(1);
    await untilCounted(p.call);
    expect(log.lines().filter(uncounted)).toHaveLength(1);
    expect(log.lines().map(({ msg }) => msg)).toContain('requests are counted again');
  });

  it('lets everybody through while Redis is away, and counts again when it is back', async () => {
    p = await startParley(settings());
    await untilCounted(p.call);
    await redis.stop();
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    await log.until(uncounted);
    await redis.start();
    await redis.connected(1);
    await untilCounted(p.call);
    const counted = await Promise.all(Array.from({ length: LIMIT + 1 }, () => ask(p.call)));
    expect(statuses(counted)).toContain(429);
  });

  it('waits for no Redis that says nothing, and counts again when it speaks', async () => {
    p = await startParley(settings());
    await untilCounted(p.call);
    redis.hush();
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    await log.until(uncounted);
    const sent = redis.commands.length;
    expect((await ask(p.call)).status).toBe(200);
    expect(redis.commands).toHaveLength(sent);
    redis.expire();
    redis.speak();
    await untilCounted(p.call);
  });

  it('lets everybody through where Redis answers with errors', async () => {
    p = await startParley(settings());
    await untilCounted(p.call);
    redis.fail('OOM command not allowed when used memory is over its limit');
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(p.call)));
    expect(new Set(statuses(replies))).toEqual(new Set([200]));
    expect((await log.until(uncounted)).error).toContain('OOM');
    redis.fail(undefined);
    await untilCounted(p.call);
  });

  it('waits for no Redis that takes connections and says nothing from the start', async () => {
    redis.hush();
    p = await startParley(settings());
    await redis.connected(1);
    expect((await ask(p.call)).status).toBe(200);
    redis.speak();
    await untilCounted(p.call);
  });

  it.each([
    ['while Redis is away', () => redis.stop()],
    ['while Redis says nothing', async () => redis.hush()],
    ['before Redis has answered at all', async () => undefined],
  ])('stops cleanly %s', async (_when, trouble) => {
    p = await startParley(settings());
    const other = await p.anotherApi();
    await untilCounted(p.call);
    await trouble();
    await ask(other.call);
    await other.stop();
    await expect(ask(other.call)).rejects.toThrow('fetch failed');
  });
});
