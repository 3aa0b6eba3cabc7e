import { createCachedRead } from '#infra/cached-read';

describe('a cached read', () => {
  let reads: number;
  let fails: boolean;
  const createRead = () =>
    createCachedRead(2_000, async () => {
      reads += 1;
      if (fails) throw new Error('Not now');
      return reads;
    });
  beforeEach(() => {
    jest.useFakeTimers();
    [reads, fails] = [0, false];
  });
  afterEach(() => jest.useRealTimers());

  it('is shared by concurrent callers, and its result for two seconds', async () => {
    const { cached, refresh } = createRead();
    expect(cached()).toBeUndefined();
    expect(await Promise.all([refresh(), refresh(), refresh()])).toEqual([1, 1, 1]);
    jest.advanceTimersByTime(1_999);
    expect(cached()).toBe(1);
    jest.advanceTimersByTime(1);
    expect(cached()).toBeUndefined();
  });

  it('is repeated after a failure, which is not cached', async () => {
    const { cached, refresh } = createRead();
    fails = true;
    await expect(refresh()).rejects.toThrow('Not now');
    expect(cached()).toBeUndefined();
    fails = false;
    expect(await refresh()).toBe(2);
  });
});
