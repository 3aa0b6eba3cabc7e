import { readFileSync } from 'node:fs';
import { z } from 'zod';

const usd = z.number().nonnegative();
const rateFields = {
  input: usd,
  output: usd,
  cacheRead: usd.optional(),
  cacheWrite5m: usd.optional(),
  cacheWrite1h: usd.optional(),
};

/** Prices of a model in USD per million tokens. `longPrompt` has those of prompts above so many tokens. */
const ModelPrice = z.strictObject({
  ...rateFields,
  longPrompt: z.strictObject({ above: z.number().int().positive(), ...rateFields }).optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

const sonnet4 = { input: 3, output: 15 };
const opus4 = { input: 5, output: 25 };

/** Anthropic's list prices. */
const LIST_PRICES: Record<string, ModelPrice> = {
  'claude-fable-5': { input: 10, output: 50 },
  'claude-fable-5-1': { input: 10, output: 50, cacheRead: 0.25 },
  'claude-haiku-4-5': { input: 1, output: 5 },
  'claude-haiku-5-5': { input: 0.1, output: 0.5, longPrompt: { above: 100_000, input: 0.5, output: 2.5 } },
  'claude-mythos-5': { input: 10, output: 50 },
  'claude-mythos-5-1': { input: 10, output: 50, cacheRead: 0.25 },
  'claude-opus-4-5': opus4,
  'claude-opus-4-6': opus4,
  'claude-opus-4-7': opus4,
  'claude-opus-4-8': opus4,
  'claude-opus-5': opus4,
  'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2 },
  'claude-sonnet-4-5': sonnet4,
  'claude-sonnet-4-6': sonnet4,
  'claude-sonnet-5': { input: 2, output: 10 },
  'claude-sonnet-5-5': { input: 2, output: 10 },
};

/** Returns the price of a model, by its id with or without a date; undefined if it is unknown. */
export type FindModelPrice = (model: string) => ModelPrice | undefined;

function createPriceLookup(prices: Record<string, ModelPrice>): FindModelPrice {
  const all = new Map(Object.entries({ ...LIST_PRICES, ...prices }));
  return (model) => all.get(model) ?? all.get(model.replace(/-\d{8}$/, ''));
}

const findListPrice = createPriceLookup({});

/** `PARLEY_MODEL_PRICES`: JSON, or the path of a file with it. Its models go before the list prices. */
export const ModelPrices = z
  .string()
  .transform((value, context) => {
    try {
      const json = value.trimStart().startsWith('{') ? value : readFileSync(value, 'utf8');
      const { data, error } = z.record(z.string(), ModelPrice).safeParse(JSON.parse(json));
      if (data) return createPriceLookup(data);
      const issues = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
      context.addIssue(`invalid prices: ${issues.join('; ')}`);
    } catch (error) {
      context.addIssue(
        `must be JSON such as {"my-model": {"input": 2, "output": 10}}, or a file with it: ${(error as Error).message}`,
      );
    }
    return z.NEVER;
  })
  .default(() => findListPrice);

/** The highest rates of any of the prices, for the most that a call can cost. */
export function highestRates(prices: ModelPrice[]): { input: number; output: number } {
  const all = prices.flatMap(({ longPrompt, ...price }) => [price, ...(longPrompt ? [longPrompt] : [])]);
  return {
    input: Math.max(
      ...all.map(({ input, cacheWrite1h = input * 2, cacheWrite5m = 0 }) =>
        Math.max(input, cacheWrite1h, cacheWrite5m),
      ),
    ),
    output: Math.max(...all.map(({ output }) => output)),
  };
}

/** Tokens of a call by what they cost. */
export interface BilledTokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
}

/** The cost of a call in USD. Rates that a price leaves out follow Anthropic's multiples of the input rate. */
export function costOfCall(price: ModelPrice, tokens: BilledTokens): number {
  const { longPrompt } = price;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h;
  const { input, output, ...cache } = longPrompt && prompt > longPrompt.above ? longPrompt : price;
  const { cacheRead = input * 0.1, cacheWrite5m = input * 1.25, cacheWrite1h = input * 2 } = cache;
  const millionths =
    tokens.input * input +
    tokens.output * output +
    tokens.cacheRead * cacheRead +
    tokens.cacheWrite5m * cacheWrite5m +
    tokens.cacheWrite1h * cacheWrite1h;
  return millionths / 1e6;
}
