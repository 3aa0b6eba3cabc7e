import { createWorkerPresence } from '#api/temporal/worker-presence';

describe('whether a worker is there', () => {
  let now: number;
  let lastPollAt: number;
  let pollReads: number;
  const createPresence = () =>
    createWorkerPresence(
      async () => {
        pollReads += 1;
        return lastPollAt;
      },
      () => now,
    );

  beforeEach(() => {
    [now, lastPollAt, pollReads] = [1_000_000, 999_000, 0];
  });

  it('is so while one has asked for work of late, and Temporal is not asked each time', async () => {
    const { absentSince } = createPresence();
    expect([await absentSince(), await absentSince(), await absentSince()]).toEqual(Array(3).fill(undefined));
    expect(pollReads).toBe(1);
  });

  it('is not so where none is remembered', async () => {
    lastPollAt = 0;
    expect(await createPresence().absentSince()).toBe(0);
    expect(await createPresence().expectWorker()).toBeUndefined();
  });

  it('does not depend on the clocks being the same', async () => {
    lastPollAt = now - 900_000;
    expect(await createPresence().expectWorker()).toBeDefined();
    lastPollAt = now + 3_600_000;
    expect(await createPresence().expectWorker()).toBeDefined();
  });

  it('is not so once somebody waited in vain, until one has asked for work since', async () => {
    const { absentSince, expectWorker } = createPresence();
    (await expectWorker())?.missed();
    expect(await absentSince()).toBe(lastPollAt);
    expect(await expectWorker()).toBeUndefined();
    lastPollAt += 1;
    expect(await expectWorker()).toBeDefined();
  });

  it('is not doubted where one asked for work while somebody waited: it was busy with something else', async () => {
    const { expectWorker } = createPresence();
    const workerWait = await expectWorker();
    lastPollAt += 1_000;
    workerWait?.missed();
    expect(await expectWorker()).toBeDefined();
  });

  it('is so once a worker has acted, whoever waited in vain beside', async () => {
    const { absentSince, expectWorker } = createPresence();
    const [first, second] = [await expectWorker(), await expectWorker()];
    first?.missed();
    second?.seen();
    expect(await absentSince()).toBeUndefined();
  });

  it('is known at once when one comes', async () => {
    const { expectWorker } = createPresence();
    lastPollAt = 0;
    expect(await expectWorker()).toBeUndefined();
    lastPollAt = now;
    expect(await expectWorker()).toBeDefined();
  });

  it('is taken to be so where Temporal does not tell', async () => {
    const { absentSince } = createWorkerPresence(() => Promise.reject(new Error('down')));
    expect(await absentSince()).toBeUndefined();
  });
});
