import type { TokenUsage } from '#contract/conversation';

/** What was used before any model call, or by a request that the model rejected. */
export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, modelCalls: 0 };

/** Adds what model calls used. The sum has a cost only if every call has one, as a part would read as the whole. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const called = [a, b].filter(({ modelCalls }) => modelCalls > 0);
  const isPriced = called.length > 0 && called.every(({ cost }) => cost !== undefined);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    modelCalls: a.modelCalls + b.modelCalls,
    ...(isPriced ? { cost: Math.round(((a.cost ?? 0) + (b.cost ?? 0)) * 1e6) / 1e6 } : {}),
  };
}

/** Formats US dollars; small amounts with two significant digits: $12.50, $0.0046. */
export function formatUsd(usd: number): string {
  return `$${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : Number(usd.toPrecision(2))}`;
}
