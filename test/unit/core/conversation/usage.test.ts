import { addUsage, NO_USAGE } from '#core/conversation/usage';

const call = { inputTokens: 10, outputTokens: 5, cachedTokens: 4, modelCalls: 1 };

describe('the usage of several calls', () => {
  it('is their sum', () => {
    const sum = [{ ...call, cost: 0.1 }, NO_USAGE, { ...call, cost: 0.2 }].reduce(addUsage, NO_USAGE);
    expect(sum).toEqual({ inputTokens: 20, outputTokens: 10, cachedTokens: 8, modelCalls: 2, cost: 0.3 });
  });

  it('has no cost if that of any call is unknown, whichever came first', () => {
    const priced = { ...call, cost: 0.1 };
    for (const calls of [[call, priced], [priced, call], [priced, call, priced], [NO_USAGE]])
      expect(calls.reduce(addUsage, NO_USAGE)).not.toHaveProperty('cost');
  });
});
