import { createWorkerPresence } from '#api/temporal/worker-presence';

describe('whether a worker is there', () => {
  let now: number;
  let polled: number;
  let asked: number;
  const attendance = () =>
    createWorkerPresence(
      async () => {
        asked += 1;
        return polled;
      },
      () => now,
    );

  beforeEach(() => {
    [now, polled, asked] = [1_000_000, 999_000, 0];
  });

  it('is so while one has asked for work of late, and Temporal is not asked each time', async () => {
    const { absentSince } = attendance();
    expect([await absentSince(), await absentSince(), await absentSince()]).toEqual(Array(3).fill(undefined));
    expect(asked).toBe(1);
  });

  it('is not so where none is remembered', async () => {
    polled = 0;
    expect(await attendance().absentSince()).toBe(0);
    expect(await attendance().begin()).toBeUndefined();
  });

  it('does not depend on the clocks being the same', async () => {
    polled = now - 900_000;
    expect(await attendance().begin()).toBeDefined();
    polled = now + 3_600_000;
    expect(await attendance().begin()).toBeDefined();
  });

  it('is not so once somebody waited in vain, until one has asked for work since', async () => {
    const { absentSince, begin } = attendance();
    (await begin())?.missed();
    expect(await absentSince()).toBe(polled);
    expect(await begin()).toBeUndefined();
    polled += 1;
    expect(await begin()).toBeDefined();
  });

  it('is not doubted where one asked for work while somebody waited: it was busy with something else', async () => {
    const { begin } = attendance();
    const waiting = await begin();
    polled += 1_000;
    waiting?.missed();
    expect(await begin()).toBeDefined();
  });

  it('is so once a worker has acted, whoever waited in vain beside', async () => {
    const { absentSince, begin } = attendance();
    const [one, other] = [await begin(), await begin()];
    one?.missed();
    other?.met();
    expect(await absentSince()).toBeUndefined();
  });

  it('is known at once when one comes', async () => {
    const { begin } = attendance();
    polled = 0;
    expect(await begin()).toBeUndefined();
    polled = now;
    expect(await begin()).toBeDefined();
  });

  it('is taken to be so where Temporal does not tell', async () => {
    const { absentSince } = createWorkerPresence(() => Promise.reject(new Error('down')));
    expect(await absentSince()).toBeUndefined();
  });
});
