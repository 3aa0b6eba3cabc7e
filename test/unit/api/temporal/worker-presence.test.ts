import type { Execution } from '#api/temporal/execution';
import { createPollBackoff, createWorkerPresence } from '#api/temporal/worker-presence';

/** For waits that end without a result. */
const WAIT_LIMITS = { resultMs: 60 };
/** For waits that end with one: a busy machine may take its time. */
const LONG_WAIT = { resultMs: 60_000 };

describe('worker presence', () => {
  let lastPollAt: number;
  let pollReads: number;
  const createPresence = (waitLimits = WAIT_LIMITS) =>
    createWorkerPresence(async () => {
      pollReads += 1;
      return lastPollAt;
    }, waitLimits);

  beforeEach(() => {
    [lastPollAt, pollReads] = [999_000, 0];
  });

  it('holds while a worker polled recently, and does not query Temporal each time', async () => {
    const { absentSince } = createPresence();
    expect([await absentSince(), await absentSince(), await absentSince()]).toEqual(Array(3).fill(undefined));
    expect(pollReads).toBe(1);
  });

  it('does not hold if Temporal remembers no poller', async () => {
    lastPollAt = 0;
    expect(await createPresence().absentSince()).toBe(0);
    expect(await createPresence().expectWorker()).toBeUndefined();
  });

  it('does not depend on synchronized clocks', async () => {
    lastPollAt = Date.now() - 900_000;
    expect(await createPresence().expectWorker()).toBeDefined();
    lastPollAt = Date.now() + 3_600_000;
    expect(await createPresence().expectWorker()).toBeDefined();
  });

  it('ends when a request waited in vain, until a worker polls again', async () => {
    const { absentSince, expectWorker } = createPresence();
    (await expectWorker())?.missed();
    expect(await absentSince()).toBe(lastPollAt);
    expect(await expectWorker()).toBeUndefined();
    lastPollAt += 1;
    expect(await expectWorker()).toBeDefined();
  });

  it('holds if a worker polled while a request waited: it was busy', async () => {
    const { expectWorker } = createPresence();
    const workerWait = await expectWorker();
    lastPollAt += 1_000;
    workerWait?.missed();
    expect(await expectWorker()).toBeDefined();
  });

  it('holds once a worker has acted, whatever request waited in vain', async () => {
    const { absentSince, expectWorker } = createPresence();
    const [first, second] = [await expectWorker(), await expectWorker()];
    first?.missed();
    second?.seen();
    expect(await absentSince()).toBeUndefined();
  });

  it('is noticed at once when a worker starts', async () => {
    const { expectWorker } = createPresence();
    lastPollAt = 0;
    expect(await expectWorker()).toBeUndefined();
    lastPollAt = 999_000;
    expect(await expectWorker()).toBeDefined();
  });

  it('is assumed if Temporal does not report pollers', async () => {
    const { absentSince } = createWorkerPresence(() => Promise.reject(new Error('down')), WAIT_LIMITS);
    expect(await absentSince()).toBeUndefined();
  });

  describe('while a run is polled', () => {
    const runWith = (isTaskUnclaimed: boolean) => async () => ({ isTaskUnclaimed }) as Execution;

    it('returns what the run shows', async () => {
      const looks = [undefined, 'answered'];
      expect(await createPresence(LONG_WAIT).poll(runWith(false), () => looks.shift())).toBe('answered');
    });

    it('ends if no worker claims the task in time: the next poll returns at once', async () => {
      const { poll } = createPresence();
      const look = jest.fn(() => undefined);
      expect(await poll(runWith(true), look)).toBeUndefined();
      expect(look).toHaveBeenCalled();
      look.mockClear();
      expect(await poll(runWith(true), look)).toBeUndefined();
      expect(look).not.toHaveBeenCalled();
    });

    it('holds if a worker claimed the task and is stuck with it', async () => {
      const { poll, expectWorker } = createPresence();
      expect(await poll(runWith(false), () => undefined)).toBeUndefined();
      expect(await expectWorker()).toBeDefined();
    });

    it('keeps polling while Temporal is unreachable, and stops on other errors', async () => {
      const unreachable = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'gone', metadata: {} });
      const finds = [() => Promise.reject(unreachable), runWith(false)];
      const find = () => finds.shift()?.() as Promise<Execution>;
      expect(await createPresence(LONG_WAIT).poll(find, () => 'answered')).toBe('answered');
      const failing = createPresence(LONG_WAIT).poll(runWith(false), () => Promise.reject(new Error('forbidden')));
      await expect(failing).rejects.toThrow('forbidden');
    });
  });
});

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('a single waiter polls soon, and then less and less often', () => {
  const waiter = createPollBackoff().start();
  expect(times(6, () => waiter.next())).toEqual([25, 50, 100, 200, 400, 400]);
});

test('many waiters poll once each soon, and then together about as often as a few would', () => {
  const backoff = createPollBackoff();
  const waiters = times(50, () => backoff.start());
  expect(waiters.map((waiter) => waiter.next())).toEqual(waiters.map(() => 25));
  const pollsPerSecond = waiters.map((waiter) => 1_000 / waiter.next()).reduce((sum, polls) => sum + polls, 0);
  expect(pollsPerSecond).toBeGreaterThan(50);
  expect(pollsPerSecond).toBeLessThan(80);
});

test('no waiter pauses for more than a second between polls, however many there are', () => {
  const backoff = createPollBackoff();
  const [waiter] = times(5_000, () => backoff.start());
  expect([waiter?.next(), waiter?.next()]).toEqual([25, 1_000]);
});

test('waiters that are done no longer affect the others', () => {
  const backoff = createPollBackoff();
  const otherWaiters = times(50, () => backoff.start());
  for (const other of otherWaiters) other.stop();
  const waiter = backoff.start();
  expect([waiter.next(), waiter.next()]).toEqual([25, 50]);
});
