import type { Agent } from '#contract/agent';
import { buildSystemPrompt } from '#models/prompts/system';
import { ONE_HOUR, testAgent } from '#test/support/core/conversation-fixture';

const prompt = (rest: Partial<Agent> = {}, questions: Partial<Agent['questions']> = {}) =>
  buildSystemPrompt({ ...testAgent(questions), prompt: 'You run the shop.', ...rest });

describe('the system prompt', () => {
  it("starts with the agent's own, and says when to ask and when not to", () => {
    expect(prompt()).toMatch(/^You run the shop\./);
    expect(prompt()).toMatch(/Ask when:[\s\S]*Do not ask when:/);
  });

  it("states the agent's own limits", () => {
    const text = prompt({}, { maxQuestions: 3, maxOptions: 7, perTurn: 5, perConversation: 9 });
    expect(text).toContain('up to 3 questions per call, with up to 7 options each');
    expect(prompt({}, { maxQuestions: 1 })).toContain('up to 1 question per call');
    expect(text).toContain('at most 5 calls per message and 9 in the whole conversation');
  });

  it.each([
    [{}, 'stays open for 1d unless you set another timeout; then you are told that there was no answer'],
    [
      { timeout: 2 * ONE_HOUR, onTimeout: 'fail' as const },
      'stays open for 2h unless you set another timeout; then the conversation fails',
    ],
    [{ onTimeout: 'default' as const }, 'then the defaults you set are used'],
    [{ onTimeout: 'wait' as const }, 'stays open until it is answered'],
    [{ timeout: null }, 'stays open until it is answered'],
    [{ remind: [ONE_HOUR] }, 'Reminders are sent for you'],
    [{ escalate: [{ after: ONE_HOUR, to: ['maria'] }] }, 'Reminders are sent for you'],
  ])('explains the effect of its policy %j', (questions, text) => {
    expect(prompt({}, questions)).toContain(text);
  });

  it('names the tools that ask for approval automatically', () => {
    const tools = [{ name: 'deploy', requiresConfirmation: true }, { name: 'look_up' }];
    expect(prompt({ tools })).toContain('before each run: deploy.');
    expect(prompt({ tools })).not.toContain('look_up');
    expect(prompt()).not.toContain('before each run');
  });

  it('tells an agent that may not ask so, and has no rules for asking', () => {
    const text = prompt({ canAsk: false });
    expect(text).toContain('You cannot ask anyone');
    expect(text).not.toContain('ask_user_question');
  });

  it('mentions delegation only to agents with sub-agents', () => {
    expect(prompt({ subagents: ['scout'] })).toContain('# Delegating');
    expect(prompt()).not.toContain('elegat');
  });
});
