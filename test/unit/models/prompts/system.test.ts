import type { Agent } from '#contract/agent';
import { buildSystemPrompt } from '#models/prompts/system';
import { ONE_HOUR, testAgent } from '#test/support/core/conversation-fixture';

const prompt = (rest: Partial<Agent> = {}, questions: Partial<Agent['questions']> = {}) =>
  buildSystemPrompt({ ...testAgent(questions), prompt: 'You run the shop.', ...rest });

describe('the system prompt', () => {
  it("begins with the agent's own, and says when to ask and when not to", () => {
    expect(prompt()).toMatch(/^You run the shop\./);
    expect(prompt()).toMatch(/Ask when:[\s\S]*Do not ask when:/);
  });

  it("says the agent's own limits", () => {
    const text = prompt({}, { maxQuestions: 3, maxOptions: 7, perTurn: 5, perConversation: 9 });
    expect(text).toContain('up to 3 questions in a call, with up to 7 options each');
    expect(prompt({}, { maxQuestions: 1 })).toContain('up to 1 question in a call');
    expect(text).toContain('At most 5 calls are possible for one message and 9 in the whole conversation');
  });

  it.each([
    [{}, 'waits 1d unless you say otherwise; then you hear that nobody answered'],
    [
      { timeout: 2 * ONE_HOUR, onTimeout: 'fail' as const },
      'waits 2h unless you say otherwise; then the conversation fails',
    ],
    [{ onTimeout: 'default' as const }, 'then the defaults you named are taken'],
    [{ onTimeout: 'wait' as const }, 'waits until it is answered'],
    [{ timeout: null }, 'waits until it is answered'],
    [{ remind: [ONE_HOUR] }, 'reminded for you'],
    [{ escalate: [{ after: ONE_HOUR, to: ['maria'] }] }, 'reminded for you'],
  ])('says what its policy %j comes to', (questions, text) => {
    expect(prompt({}, questions)).toContain(text);
  });

  it('names the tools that ask by themselves', () => {
    const tools = [{ name: 'deploy', requiresConfirmation: true }, { name: 'look_up' }];
    expect(prompt({ tools })).toContain('each time before they run: deploy.');
    expect(prompt({ tools })).not.toContain('look_up');
    expect(prompt()).not.toContain('by themselves');
  });

  it('tells an agent that may not ask so, and nothing of asking', () => {
    const text = prompt({ canAsk: false });
    expect(text).toContain('You cannot ask anybody');
    expect(text).not.toContain('ask_user_question');
  });

  it('speaks of delegating only to those who have somebody', () => {
    expect(prompt({ subagents: ['scout'] })).toContain('# Delegating');
    expect(prompt()).not.toContain('elegat');
  });
});
