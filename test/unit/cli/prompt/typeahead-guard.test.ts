import { extendTypeaheadGuard, startTypeaheadGuard } from '#cli/prompt/interactive';

describe('the guard of a question that appears by itself', () => {
  it('ends after 300 ms without a key', () => {
    expect(startTypeaheadGuard(1_000).until).toBe(1_300);
    expect(extendTypeaheadGuard(startTypeaheadGuard(1_000), 1_290).until).toBe(1_590);
  });

  it('ends after 2 s, whatever is pressed', () => {
    const times = Array.from({ length: 30 }, (_, index) => 1_000 + index * 100);
    const last = times.reduce(extendTypeaheadGuard, startTypeaheadGuard(1_000));
    expect(last.until).toBe(3_000);
  });
});
