import { coalesceByKey, memoizeFor } from '#api/temporal/coalesce';

describe('an answer that is shared', () => {
  let asked: number;
  let shared: () => Promise<number>;
  beforeEach(() => {
    jest.useFakeTimers();
    asked = 0;
    shared = memoizeFor(2_000, async () => {
      asked += 1;
      return asked;
    });
  });
  afterEach(() => jest.useRealTimers());

  it('is asked for once by all who ask at the same time, and for two seconds after', async () => {
    expect(await Promise.all([shared(), shared(), shared()])).toEqual([1, 1, 1]);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(await shared()).toBe(1);
  });

  it('is asked for anew after that', async () => {
    await shared();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await shared()).toBe(2);
  });

  it('is asked for anew after a failure, too', async () => {
    const failing = memoizeFor(2_000, async () => {
      asked += 1;
      if (asked === 1) throw new Error('Not now');
      return asked;
    });
    await expect(failing()).rejects.toThrow('Not now');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await failing()).toBe(2);
  });
});

describe('questions one at a time', () => {
  const asked: { key: string; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const ask = coalesceByKey(
    (key) =>
      new Promise<string>((answer, fail) => {
        asked.push({ key, answer, fail });
      }),
  );
  beforeEach(() => {
    asked.length = 0;
  });

  it('are shared by those who come while one is on its way: not that one, but the next', async () => {
    const first = ask('a');
    const later = [ask('a'), ask('a'), ask('a')];
    expect(asked).toHaveLength(1);
    asked[0]?.answer('before');
    expect(await first).toBe('before');
    expect(asked).toHaveLength(2);
    asked[1]?.answer('after');
    expect(await Promise.all(later)).toEqual(['after', 'after', 'after']);
    expect(asked).toHaveLength(2);
  });

  it('are about one thing each', async () => {
    const both = [ask('a'), ask('b')];
    expect(asked.map(({ key }) => key)).toEqual(['a', 'b']);
    for (const { key, answer } of asked) answer(key.toUpperCase());
    expect(await Promise.all(both)).toEqual(['A', 'B']);
  });

  it('are asked again after a failure, by those who came for the next', async () => {
    const first = ask('a');
    const second = ask('a');
    asked[0]?.fail(new Error('Not now'));
    await expect(first).rejects.toThrow('Not now');
    asked[1]?.answer('now');
    expect(await second).toBe('now');
    const third = ask('a');
    asked[2]?.answer('anew');
    expect(await third).toBe('anew');
  });
});
