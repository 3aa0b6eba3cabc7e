import fc from 'fast-check';
import type { Budget } from '#contract/agent';
import { advance } from '#core/conversation/advance';
import {
  applyBudgetRequest,
  applyBudgetSettlement,
  grantBudgetCalls,
  mostOfNextCall,
  recordUsage,
  remainingBudget,
} from '#core/conversation/budget';
import { applyCancel, applyUserMessage } from '#core/conversation/messages';
import type { ConversationState } from '#core/conversation/state';
import { NO_USAGE } from '#core/conversation/usage';
import { createConfirmation } from '#core/questions/create';
import { applyAnswer, applyDecline, expireQuestion } from '#core/questions/resolve';
import { START_TIME, startedConversation, testAgent } from '#test/support/core/conversation-fixture';

const used = (inputTokens: number, cost?: number) => ({
  ...NO_USAGE,
  inputTokens,
  modelCalls: 1,
  ...(cost === undefined ? {} : { cost }),
});
const withBudget = (budget: Budget) => startedConversation({ budget, modelRates: { input: 4, output: 10 } });
const request = (state: ConversationState, conversationId: string, tokens = 100) =>
  applyBudgetRequest(state, { conversationId, amounts: { usd: 0, tokens, calls: 1 } });
const settle = (state: ConversationState, conversationId: string, tokens = 10) =>
  applyBudgetSettlement(state, { conversationId, amounts: { usd: 0, tokens, calls: 1 } });
const granted = (state: ConversationState) =>
  grantBudgetCalls(state, START_TIME, 100).map((grant) => grant.conversationId);
/** Spends, then wants to call the model again. */
const spend = (state: ConversationState, cost: number) => {
  recordUsage(state, used(1, cost));
  return advance(state, START_TIME).do;
};
const sayYes = (state: ConversationState) =>
  applyAnswer(state, { questionId: state.question?.id, answer: 'Yes, proceed' }, START_TIME);

describe('a conversation at its budget', () => {
  it('asks once whether to continue with the same amount again, and each time it is used up', () => {
    const state = withBudget({ usd: 5 });
    expect(spend(state, 4.99)).toBe('callModel');
    expect(spend(state, 0.02)).toBe('park');
    expect(state.question).toMatchObject({
      fields: [{ question: '$5.01 spent. Continue with another $5.00?' }],
      confirms: { tool: null, arguments: { spent: { usd: 5.01, tokens: 2, calls: 2 }, another: { usd: 5 } } },
    });
    expect(sayYes(state)).toEqual({ ok: true });
    expect(remainingBudget(state)).toEqual({ usd: 5 });
    expect(advance(state, START_TIME).do).toBe('callModel');
    expect(spend(state, 5)).toBe('park');
    expect(state.question?.fields[0]?.question).toBe('$10.01 spent. Continue with another $5.00?');
    expect(state.entries.filter(({ kind }) => kind === 'question')).toHaveLength(2);
  });

  it('adds only to the limits that are reached', () => {
    const state = withBudget({ tokens: 1_000, calls: 1 });
    recordUsage(state, used(400));
    expect(advance(state, START_TIME).do).toBe('park');
    expect(state.question?.fields[0]?.question).toBe('1 model call spent. Continue with another 1 model call?');
    sayYes(state);
    expect(remainingBudget(state)).toEqual({ tokens: 600, calls: 1 });
  });

  it.each<[string, (state: ConversationState) => unknown]>([
    ['no', (state) => applyAnswer(state, { answer: 'No, cancel' }, START_TIME)],
    ['a refusal', (state) => applyDecline(state, {}, START_TIME)],
    ['a timeout', (state) => expireQuestion(state, START_TIME)],
  ])('ends with a clear message after %s, and asks again after a message', (_how, act) => {
    const state = withBudget({ usd: 1 });
    spend(state, 1);
    act(state);
    expect(advance(state, START_TIME).do).toBe('end');
    expect(state).toMatchObject({
      status: 'failed',
      error: {
        code: 'budget_reached',
        message: 'The conversation was stopped at its budget: $1.00 spent. Send a message to be asked again.',
      },
    });
    applyUserMessage(state, { text: 'Go on.' }, START_TIME);
    expect(advance(state, START_TIME).do).toBe('park');
    sayYes(state);
    expect(advance(state, START_TIME).do).toBe('callModel');
  });

  it('asks again after a cancel and a message, as after any other question', () => {
    const state = withBudget({ usd: 1 });
    spend(state, 1);
    applyCancel(state, {}, START_TIME);
    expect(advance(state, START_TIME).do).toBe('end');
    expect(state.status).toBe('cancelled');
    applyUserMessage(state, { text: 'Go on.' }, START_TIME);
    expect(advance(state, START_TIME).do).toBe('park');
  });

  it('fails at the deadline if its questions do, and asks again after a message', () => {
    const state = startedConversation({ budget: { usd: 1 }, agent: testAgent({ onTimeout: 'fail' }) });
    spend(state, 1);
    expireQuestion(state, START_TIME);
    expect(state.error?.code).toBe('question_timed_out');
    applyUserMessage(state, { text: 'Go on.' }, START_TIME);
    expect(advance(state, START_TIME).do).toBe('park');
  });

  it('stops without a question if the budget says so, or if the agent cannot ask', () => {
    const silent = startedConversation({ budget: { usd: 1 }, agent: { ...testAgent(), canAsk: false } });
    for (const state of [withBudget({ usd: 1, onLimit: 'stop' }), silent]) {
      expect(spend(state, 1)).toBe('end');
      expect(state.error).toMatchObject({ code: 'budget_reached', message: expect.stringMatching(/spent\.$/) });
      expect(state.questionCount.total).toBe(0);
    }
  });

  it('asks even if the agent may ask no more, and leaves the agent its own questions', () => {
    const state = startedConversation({ budget: { usd: 1 }, agent: testAgent({ perTurn: 1, perConversation: 1 }) });
    for (const round of [1, 2]) {
      expect(spend(state, 1)).toBe('park');
      sayYes(state);
      expect(advance(state, START_TIME).do).toBe('callModel');
      const question = { action: 'Go?', details: '', arguments: {} };
      expect(createConfirmation(state, question, START_TIME).ok).toBe(true);
      expect(state.questionCount).toEqual({ total: round, sinceMessage: 0 });
    }
  });

  it('counts a call without a cost at the highest rates', () => {
    const state = withBudget({ usd: 5 });
    recordUsage(state, { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 50_000, modelCalls: 1 });
    expect(remainingBudget(state)).toEqual({ usd: 0.5 });
  });
});

describe('the calls of sub-agents', () => {
  it('are granted together while they cannot reach the limit, then one at a time', () => {
    const state = withBudget({ tokens: 250 });
    for (const id of ['a', 'b', 'c', 'd']) request(state, id);
    // Together, three could use 300 tokens.
    expect(granted(state)).toEqual(['a', 'b', 'c']);
    expect(granted(state)).toEqual([]);
    for (const id of ['a', 'b']) settle(state, id, 100);
    expect(granted(state)).toEqual([]);
    settle(state, 'c', 40);
    expect(granted(state)).toEqual(['d']);
    settle(state, 'd', 30);
    request(state, 'a');
    expect(granted(state)).toEqual([]);
    expect(state.question?.fields[0]?.question).toBe('270 tokens spent. Continue with another 250 tokens?');
    request(state, 'b');
    expect(granted(state)).toEqual([]);
    sayYes(state);
    expect(granted(state)).toEqual(['a', 'b']);
  });

  it('may each use what was reserved for them, so that no two use the same; alone, all that is left', () => {
    const state = withBudget({ tokens: 250, calls: 9 });
    for (const id of ['a', 'b', 'c']) request(state, id);
    const allowances = () => grantBudgetCalls(state, START_TIME, 100).map(({ allowance }) => allowance);
    expect(allowances()).toEqual(Array(3).fill({ tokens: 100, calls: 1 }));
    for (const id of ['a', 'b', 'c']) settle(state, id, 60);
    request(state, 'a');
    request(state, 'b');
    expect(allowances()).toEqual([{ tokens: 70, calls: 6 }]);
  });

  it('are dropped when a conversation above them settles, since they were terminated', () => {
    const state = withBudget({ tokens: 250 });
    const requestBelow = (conversationId: string, above: unknown) =>
      applyBudgetRequest(state, { conversationId, above, amounts: { usd: 0, tokens: 300, calls: 1 } });
    requestBelow('c', ['root', 'a', 'b']);
    requestBelow('d', 'junk');
    expect(granted(state)).toEqual(['c']);
    expect(granted(state)).toEqual([]);
    settle(state, 'a', 0);
    expect(granted(state)).toEqual(['d']);
    expect(state.budget?.spent.calls).toBe(0);
  });

  it('end the conversation, with a clear error, before its history is full', () => {
    const state = withBudget({ tokens: 250 });
    request(state, 'a');
    expect(grantBudgetCalls(state, START_TIME, 40_001)).toEqual([]);
    expect(state).toMatchObject({ status: 'failed', error: { code: 'too_many_model_calls' } });
    applyUserMessage(state, { text: 'Go on.' }, START_TIME);
    expect(advance(state, START_TIME).do).toBe('callModel');
  });

  it('can use at most a window before the first call, and all attempts of a summary', () => {
    const state = startedConversation({
      agent: testAgent({}),
      budget: { calls: 1 },
      modelRates: { input: 1, output: 10 },
    });
    const { maxTokens, contextWindow } = { maxTokens: 1_000, contextWindow: 50_000 };
    state.agent = { ...state.agent, model: 'mine', maxTokens, contextWindow };
    expect(mostOfNextCall(state, {})).toEqual({ usd: 0.06, tokens: 51_000, calls: 1 });
    state.contextUsage = { bytes: 1, tokens: 10_000 };
    expect(mostOfNextCall(state, {})).toEqual({ usd: 0.03, tokens: 21_000, calls: 1 });
    expect(mostOfNextCall(state, { maxTokens: 2_000 })).toEqual({ usd: 0.12, tokens: 66_000, calls: 3 });
  });

  it('never jam the conversation, whatever the signal says', () => {
    const state = withBudget({ tokens: 250 });
    for (const junk of [
      null,
      7,
      'x',
      [],
      { conversationId: 7 },
      { conversationId: 'z', amounts: { tokens: 'many', usd: -1, calls: Number.NaN } },
    ]) {
      applyBudgetRequest(state, junk);
      applyBudgetSettlement(state, junk);
    }
    settle(state, 'never-granted', 1_000);
    expect(state.budget).toMatchObject({ spent: { usd: 0, tokens: 0, calls: 0 }, calls: [] });
    applyBudgetRequest(startedConversation(), { conversationId: 'a' });
  });

  it('go over the limit by one call at most, whoever calls, in any order', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const event = fc.record({
      who: fc.constantFrom(...names),
      tokens: fc.integer({ min: 1, max: 100 }),
      settles: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 20, maxLength: 120 }), (events) => {
        const state = withBudget({ tokens: 300 });
        const running = new Set<string>();
        for (const { who, tokens, settles } of events) {
          if (running.has(who) && settles) {
            running.delete(who);
            settle(state, who, tokens);
          } else if (!running.has(who)) request(state, who);
          for (const id of granted(state)) running.add(id);
          const spent = state.budget?.spent.tokens ?? 0;
          const limit = state.budget?.limits.tokens ?? 0;
          if (running.size === 0 && !state.question) expect(spent).toBeLessThan(limit + 100);
          expect(spent).toBeLessThan(limit + 100);
          // Something can always go on.
          const waits = state.budget?.calls.some(({ isGranted }) => !isGranted);
          if (waits && !state.question) expect(running.size).toBeGreaterThan(0);
          if (state.question) sayYes(state);
        }
      }),
    );
  });
});
