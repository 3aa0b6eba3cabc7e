import { sharedFor } from '../../src/api/shared';

describe('an answer that is shared', () => {
  let asked: number;
  let shared: () => Promise<number>;
  beforeEach(() => {
    jest.useFakeTimers();
    asked = 0;
    shared = sharedFor(2_000, async () => {
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
    const failing = sharedFor(2_000, async () => {
      asked += 1;
      if (asked === 1) throw new Error('Not now');
      return asked;
    });
    await expect(failing()).rejects.toThrow('Not now');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await failing()).toBe(2);
  });
});
