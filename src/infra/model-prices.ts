import { readFileSync } from 'node:fs';
import { z } from 'zod';

const usd = z.number().nonnegative();
/** Prices in USD per million tokens. What is left out follows Anthropic's multiples of `input`. */
const rateFields = {
  input: usd,
  output: usd,
  cacheRead: usd.optional(),
  cacheWrite5m: usd.optional(),
  cacheWrite1h: usd.optional(),
};
/** `longPrompt` has the prices of prompts above so many tokens. */
const ModelPrice = z.strictObject({
  ...rateFields,
  longPrompt: z.strictObject({ above: z.number().int().positive(), ...rateFields }).optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** Anthropic's list prices. */
const LIST_PRICES: Record<string, ModelPrice> = {
  'fable-5 mythos-5': { input: 10, output: 50 },
  'fable-5-1 mythos-5-1': { input: 10, output: 50, cacheRead: 0.25 },
  'fable-5-2': { input: 8, output: 40, cacheRead: 0.2 },
  'haiku-4-5': { input: 1, output: 5 },
  'haiku-5-5': { input: 0.1, output: 0.5, longPrompt: { above: 100_000, input: 0.5, output: 2.5 } },
  'opus-4-5 opus-4-6 opus-4-7 opus-4-8 opus-5': { input: 5, output: 25 },
  'opus-5-5': { input: 4, output: 20, cacheRead: 0.2 },
  'sonnet-4-5 sonnet-4-6': { input: 3, output: 15 },
  'sonnet-5': { input: 2, output: 10 },
  'sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1 },
};

/** Returns the price of a model, by its id with or without a date; undefined if it is unknown. */
export type FindModelPrice = (model: string) => ModelPrice | undefined;

function createPriceLookup(prices: Record<string, ModelPrice>): FindModelPrice {
  const list = Object.entries(LIST_PRICES).flatMap(([models, price]) =>
    models.split(' ').map((model): [string, ModelPrice] => [`claude-${model}`, price]),
  );
  const all = new Map([...list, ...Object.entries(prices)]);
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

/** Tokens of a call by what they cost. */
export type BilledTokens = Record<keyof typeof rateFields, number>;

function completeRates({ input, output, ...cache }: Omit<ModelPrice, 'longPrompt'>): BilledTokens {
  const { cacheRead = input * 0.1, cacheWrite5m = input * 1.25, cacheWrite1h = input * 2 } = cache;
  return { input, output, cacheRead, cacheWrite5m, cacheWrite1h };
}

/** The highest rates of any of the prices, for the most that a call can cost. */
export function highestRates(prices: ModelPrice[]): { input: number; output: number } {
  const all = prices
    .flatMap(({ longPrompt = { input: 0, output: 0 }, ...price }) => [price, longPrompt])
    .map(completeRates);
  return {
    input: Math.max(...all.flatMap(({ output: _, ...input }) => Object.values(input))),
    output: Math.max(...all.map(({ output }) => output)),
  };
}

/** The cost of a call in USD. */
export function costOfCall(price: ModelPrice, tokens: BilledTokens): number {
  const { longPrompt } = price;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h;
  const rates = completeRates(longPrompt && prompt > longPrompt.above ? longPrompt : price);
  const kinds = Object.keys(rates) as (keyof BilledTokens)[];
  return kinds.reduce((sum, kind) => sum + tokens[kind] * rates[kind], 0) / 1e6;
}
