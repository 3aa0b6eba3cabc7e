import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { costOfCall, highestRates, type ModelPrice, ModelPrices } from '#infra/model-prices';

const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
const MILLION = 1_000_000;

function costOf(model: string, used: Partial<typeof tokens>, prices?: string): number | undefined {
  const price = ModelPrices.parse(prices)(model);
  return price && costOfCall(price, { ...tokens, ...used });
}

describe('the price of a model', () => {
  it.each([
    ['input', 2],
    ['output', 10],
    ['cacheRead', 0.1],
    ['cacheWrite5m', 2.5],
    ['cacheWrite1h', 4],
  ])('is known for each kind of token: %s', (kind, usd) => {
    expect(costOf('claude-sonnet-5-5', { [kind]: MILLION })).toBeCloseTo(usd, 9);
  });

  it('has its own multiple for what is read from the cache', () => {
    expect(costOf('claude-sonnet-5', { cacheRead: MILLION })).toBeCloseTo(0.2, 9);
    expect(costOf('claude-fable-5-2', { input: MILLION, output: MILLION, cacheRead: MILLION })).toBeCloseTo(48.2, 9);
  });

  it('depends on the length of the prompt, which includes what is cached', () => {
    expect(costOf('claude-haiku-5-5', { input: 50_000, cacheRead: 50_000 })).toBeCloseTo(0.0055, 9);
    expect(costOf('claude-haiku-5-5', { input: 50_000, cacheRead: 50_001 })).toBeCloseTo(0.0275, 6);
  });

  it('is the same for an id with a date, and unknown for other models', () => {
    expect(costOf('claude-sonnet-4-5-20250929', { input: MILLION })).toBe(3);
    expect(costOf('claude-sonnet-4-5-fast', { input: MILLION })).toBeUndefined();
    expect(costOf('my-model', { input: MILLION })).toBeUndefined();
  });

  it('is the highest of several for the most that a call can cost', () => {
    const find = ModelPrices.parse(undefined);
    const prices = ['claude-haiku-5-5', 'claude-haiku-4-5'].map((model) => find(model) as ModelPrice);
    expect(highestRates(prices)).toEqual({ input: 2, output: 5 });
    expect(highestRates(prices.slice(0, 1))).toEqual({ input: 1, output: 2.5 });
  });

  it('comes first from the setting, which may be a file', () => {
    const prices = JSON.stringify({
      'my-model': { input: 1, output: 2, cacheRead: 0.5 },
      'claude-opus-5-5': { input: 9, output: 9 },
    });
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'prices-')), 'prices.json');
    writeFileSync(file, prices);
    for (const setting of [prices, file]) {
      expect(costOf('my-model', { input: MILLION, cacheRead: MILLION }, setting)).toBe(1.5);
      expect(costOf('claude-opus-5-5', { input: MILLION }, setting)).toBe(9);
      expect(costOf('claude-sonnet-5-5', { input: MILLION }, setting)).toBe(2);
    }
  });
});
