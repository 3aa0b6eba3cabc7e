import { coalesceByKey, memoizeFor } from '#api/temporal/coalesce';

describe('an answer that is shared', () => {
  let calls: number;
  let loadShared: () => Promise<number>;
  beforeEach(() => {
    jest.useFakeTimers();
    calls = 0;
    loadShared = memoizeFor(2_000, async () => {
      calls += 1;
      return calls;
    });
  });
  afterEach(() => jest.useRealTimers());

  it('is asked for once by all who ask at the same time, and for two seconds after', async () => {
    expect(await Promise.all([loadShared(), loadShared(), loadShared()])).toEqual([1, 1, 1]);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(await loadShared()).toBe(1);
  });

  it('is asked for anew after that', async () => {
    await loadShared();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await loadShared()).toBe(2);
  });

  it('is asked for anew after a failure, too', async () => {
    const loadFailing = memoizeFor(2_000, async () => {
      calls += 1;
      if (calls === 1) throw new Error('Not now');
      return calls;
    });
    await expect(loadFailing()).rejects.toThrow('Not now');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await loadFailing()).toBe(2);
  });
});

describe('questions one at a time', () => {
  const pending: { key: string; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const load = coalesceByKey(
    (key) =>
      new Promise<string>((resolve, reject) => {
        pending.push({ key, resolve, reject });
      }),
  );
  beforeEach(() => {
    pending.length = 0;
  });

  it('are shared by those who come while one is on its way: not that one, but the next', async () => {
    const first = load('a');
    const later = [load('a'), load('a'), load('a')];
    expect(pending).toHaveLength(1);
    pending[0]?.resolve('before');
    expect(await first).toBe('before');
    expect(pending).toHaveLength(2);
    pending[1]?.resolve('after');
    expect(await Promise.all(later)).toEqual(['after', 'after', 'after']);
    expect(pending).toHaveLength(2);
  });

  it('are about one thing each', async () => {
    const both = [load('a'), load('b')];
    expect(pending.map(({ key }) => key)).toEqual(['a', 'b']);
    for (const { key, resolve } of pending) resolve(key.toUpperCase());
    expect(await Promise.all(both)).toEqual(['A', 'B']);
  });

  it('are asked again after a failure, by those who came for the next', async () => {
    const first = load('a');
    const second = load('a');
    pending[0]?.reject(new Error('Not now'));
    await expect(first).rejects.toThrow('Not now');
    pending[1]?.resolve('now');
    expect(await second).toBe('now');
    const third = load('a');
    pending[2]?.resolve('anew');
    expect(await third).toBe('anew');
  });
});
