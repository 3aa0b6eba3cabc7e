import type { Agent } from '#contract/agent';
import { advance, type NextStep } from '#core/conversation/advance';
import type { ConversationState } from '#core/conversation/state';
import { applyAnswer } from '#core/questions/resolve';
import {
  buildSubagentReport,
  createSubagentConversation,
  MAX_PARALLEL_SUBAGENTS,
  MAX_SUBAGENT_DEPTH,
  subagentToolResult,
} from '#core/subagents';
import {
  modelSays,
  pendingQuestion,
  START_TIME,
  startedConversation,
  testAgent,
  toolResultsIn,
  toolUse,
} from '#test/support/core/conversation-fixture';

const scout: Agent = { ...testAgent({ assignees: ['sam'] }), name: 'scout', prompt: 'Scout.' };
const boss: Agent = { ...testAgent(), name: 'boss', subagents: ['scout'] };
const links = {
  self: 'https://p.example/conversations/x/v1/conversations/c-1',
  events: 'https://p.example/v1/conversations/c-1/events',
  web: 'https://p.example/conversations/c-1',
  temporal: 'https://t.example/namespaces/default/workflows/c-1',
};

function leading(start: object = {}): ConversationState {
  return startedConversation({ agent: boss, subagentDefinitions: { scout }, links, ...start });
}
const task = (id: string, agent = 'scout') => toolUse(id, 'delegate', { agent, task: `Look at ${id}` });
const begun = (step: NextStep) => (step.do === 'runSubagents' ? step.calls.map(({ id }) => id) : step.do);

describe('delegations', () => {
  it('of one turn start in parallel', () => {
    expect(begun(modelSays(leading(), task('a'), task('b'), task('c')))).toEqual(['a', 'b', 'c']);
  });

  it('wait for the calls before them, and stop at a call that cannot run with them', () => {
    const state = leading();
    const ask = toolUse('q', 'ask_user_question', { questions: [{ question: 'Which?' }] });
    expect(
      begun(modelSays(state, ask, task('a'), task('b'), toolUse('t', 'write_todos', { todos: [] }), task('c'))),
    ).toBe('park');
    applyAnswer(state, { answer: 'That' }, START_TIME);
    expect(begun(advance(state, START_TIME))).toEqual(['a', 'b']);
  });

  it(`are at most ${MAX_PARALLEL_SUBAGENTS} at a time`, () => {
    const all = Array.from({ length: MAX_PARALLEL_SUBAGENTS + 3 }, (_, n) => task(`${n}`));
    expect(begun(modelSays(leading(), ...all))).toHaveLength(MAX_PARALLEL_SUBAGENTS);
  });

  it('are no more at a time than one message to Temporal can hold', () => {
    const heavy = { ...scout, prompt: 'x'.repeat(400_000) };
    const state = leading({ subagentDefinitions: { scout: heavy } });
    expect(begun(modelSays(state, ...Array.from({ length: 10 }, (_, n) => task(`${n}`))))).toHaveLength(3);
    const alone = leading({ subagentDefinitions: { scout: { ...scout, prompt: 'x'.repeat(2_000_000) } } });
    expect(begun(modelSays(alone, task('a'), task('b')))).toEqual(['a']);
  });

  it('that need approval are asked for one by one', () => {
    const tools = [{ name: 'delegate', requiresConfirmation: true }];
    const state = leading({ agent: { ...boss, tools } });
    expect(begun(modelSays(state, task('a'), task('b')))).toBe('park');
    expect(pendingQuestion(state).confirms).toMatchObject({
      tool: 'delegate',
      arguments: { task: 'Look at a' },
    });
    applyAnswer(state, { answer: 'Yes, proceed', questionId: 'question-1' }, START_TIME);
    expect(begun(advance(state, START_TIME))).toEqual(['a']);
  });

  it(`end ${MAX_SUBAGENT_DEPTH} agents deep, with an error that the model can read`, () => {
    const origin = Array.from({ length: MAX_SUBAGENT_DEPTH }, () => 'boss');
    const state = leading({ lineage: { root: 'r', origin, parent: null } });
    expect(begun(modelSays(state, task('a')))).toBe('callModel');
    expect(toolResultsIn(state)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('Not delegated'),
    });
  });

  it('that would be too deep are not asked for first', () => {
    const tools = [{ name: 'delegate', requiresConfirmation: true }];
    const origin = Array.from({ length: MAX_SUBAGENT_DEPTH }, () => 'boss');
    const state = leading({ agent: { ...boss, tools }, lineage: { root: 'r', origin, parent: null } });
    expect(begun(modelSays(state, task('a')))).toBe('callModel');
  });

  it('to an agent that is not a sub-agent are errors', () => {
    const state = leading();
    modelSays(state, task('a', 'boss'));
    expect(toolResultsIn(state)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('scout'),
    });
  });
});

describe('the conversation of a sub-agent', () => {
  const access = { owner: 'ada', visibleTo: ['ops'], assignees: ['maria'] };
  const parent = leading({
    access,
    metadata: { ticket: 7 },
    policy: { timeout: null },
    callbackUrl: 'https://x.y',
  });
  const sub = createSubagentConversation(
    parent,
    { agent: 'scout', task: 'Look' },
    'c-2',
    START_TIME,
  ) as ConversationState;

  it('starts with the task, and knows its parent', () => {
    expect(sub).toMatchObject({
      id: 'c-2',
      agent: { name: 'scout' },
      root: 'c-1',
      origin: ['boss', 'scout'],
      parent: { conversationId: 'c-1', agent: 'boss' },
      title: 'Look',
      status: 'running',
      transcript: [{ role: 'user', content: [{ type: 'text', text: 'Look' }] }],
    });
  });

  it('knows the conversations up to the one with the budget', () => {
    const input = { agent: 'scout', task: 'Look' };
    const first = createSubagentConversation(leading({ budget: { calls: 9 } }), input, 'c-2', START_TIME);
    expect(first?.budgetPath).toEqual(['c-1']);
    const chief = { ...leading(), id: 'c-2', budgetPath: first?.budgetPath };
    expect(createSubagentConversation(chief, input, 'c-3', START_TIME)?.budgetPath).toEqual(['c-1', 'c-2']);
  });

  it('belongs to the same people, and to those its file names', () => {
    expect(sub.access).toEqual({ owner: 'ada', visibleTo: ['ops'], assignees: ['maria', 'sam'] });
    expect(sub).toMatchObject({
      metadata: { ticket: 7 },
      policy: { timeout: null },
      callbackUrl: 'https://x.y',
    });
  });

  it('includes the agents that it can reach, and no others', () => {
    const mole = { ...scout, name: 'mole', subagents: ['scout'] };
    const guide = { ...scout, name: 'guide', subagents: ['mole', 'boss'] };
    const team = { scout, mole, guide, other: scout, boss: { ...boss, subagents: ['guide'] } };
    const below = (name: string) =>
      Object.keys(
        createSubagentConversation(
          leading({ subagentDefinitions: team }),
          { agent: name, task: 'Look' },
          'c-2',
          START_TIME,
        )?.subagentDefinitions ?? {},
      );
    expect(below('scout')).toEqual([]);
    expect(below('mole')).toEqual(['scout']);
    expect(new Set(below('guide'))).toEqual(new Set(['mole', 'scout', 'boss', 'guide']));
  });

  it('has links of its own', () => {
    expect(sub.links).toEqual({
      self: 'https://p.example/conversations/x/v1/conversations/c-2',
      events: 'https://p.example/v1/conversations/c-2/events',
      web: 'https://p.example/conversations/c-2',
      temporal: 'https://t.example/namespaces/default/workflows/c-2',
    });
  });

  it('asks with its origin', () => {
    modelSays(sub, toolUse('q', 'ask_user_question', { questions: [{ question: 'Which?' }] }));
    expect(pendingQuestion(sub)).toMatchObject({
      agent: 'scout',
      origin: ['boss', 'scout'],
      conversationId: 'c-2',
    });
  });

  it('does not exist if the agent was not pinned', () => {
    for (const name of ['nobody', '__proto__', 'constructor'])
      expect(createSubagentConversation(parent, { agent: name, task: 'Look' }, 'c-3', START_TIME)).toBeUndefined();
    expect(
      createSubagentConversation(startedConversation(), { agent: 'scout', task: 'Look' }, 'c-3', START_TIME),
    ).toBeUndefined();
  });

  it('has no more names than can be indexed', () => {
    const many = Array.from({ length: 50 }, (_, n) => `${n}-${'x'.repeat(30)}`);
    const crowded = leading({ access: { ...access, assignees: many } });
    const child = createSubagentConversation(crowded, { agent: 'scout', task: 'Look' }, 'c-2', START_TIME);
    expect(child?.access.assignees).toEqual(many);
  });
});

describe('the end of a sub-agent', () => {
  const ended = (status: ConversationState['status'], rest: Partial<ConversationState>) =>
    subagentToolResult('scout', buildSubagentReport({ ...startedConversation(), status, ...rest }));

  it.each([
    ['its result', ended('completed', { result: 'Two doors.' }), { result: 'Two doors.' }],
    [
      'that there is no result',
      ended('completed', { result: '' }),
      { result: expect.stringContaining('without a result') },
    ],
    [
      'why it failed',
      ended('failed', { error: { code: 'x', message: 'No model.' } }),
      { error: 'Sub-agent scout did not finish (failed): No model.' },
    ],
    ['that it was cancelled', ended('cancelled', {}), { error: expect.stringContaining('cancelled') }],
    [
      'that it left nothing',
      subagentToolResult('scout', undefined),
      { error: expect.stringContaining('could not be read') },
    ],
  ])('is reported as %s', (_what, heard, expected) => {
    expect(heard).toEqual(expected);
  });
});
