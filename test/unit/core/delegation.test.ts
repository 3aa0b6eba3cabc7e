import type { Agent } from '#contract/agent';
import { heardOf, MAX_DEPTH, reportOf, SIDE_BY_SIDE, subConversation } from '#core/delegation';
import { answer } from '#core/settling';
import type { State } from '#core/state';
import { advance, type Step } from '#core/turn';
import { agent, NOW, open, results, says, started, use } from '#test/support/core/given';

const scout: Agent = { ...agent({ assignees: ['sam'] }), name: 'scout', prompt: 'Scout.' };
const boss: Agent = { ...agent(), name: 'boss', subagents: ['scout'] };
const links = {
  self: 'https://p.example/conversations/x/v1/conversations/c-1',
  events: 'https://p.example/v1/conversations/c-1/events',
  web: 'https://p.example/conversations/c-1',
  temporal: 'https://t.example/namespaces/default/workflows/c-1',
};

function leading(start: object = {}): State {
  return started({ agent: boss, team: { scout }, links, ...start });
}
const task = (id: string, of = 'scout') => use(id, 'delegate', { agent: of, task: `Look at ${id}` });
const begun = (step: Step) => (step.do === 'delegate' ? step.calls.map(({ id }) => id) : step.do);

describe('delegations', () => {
  it('of one turn begin side by side', () => {
    expect(begun(says(leading(), task('a'), task('b'), task('c')))).toEqual(['a', 'b', 'c']);
  });

  it('wait for what stands before them, and stop at what does not run with them', () => {
    const state = leading();
    const ask = use('q', 'ask_user_question', { questions: [{ question: 'Which?' }] });
    expect(
      begun(says(state, ask, task('a'), task('b'), use('t', 'write_todos', { todos: [] }), task('c'))),
    ).toBe('park');
    answer(state, { answer: 'That' }, NOW);
    expect(begun(advance(state, NOW))).toEqual(['a', 'b']);
  });

  it(`are at most ${SIDE_BY_SIDE} at a time`, () => {
    const all = Array.from({ length: SIDE_BY_SIDE + 3 }, (_, n) => task(`${n}`));
    expect(begun(says(leading(), ...all))).toHaveLength(SIDE_BY_SIDE);
  });

  it('are no more at a time than one message to Temporal can hold', () => {
    const heavy = { ...scout, prompt: 'x'.repeat(400_000) };
    const state = leading({ team: { scout: heavy } });
    expect(begun(says(state, ...Array.from({ length: 10 }, (_, n) => task(`${n}`))))).toHaveLength(3);
    const alone = leading({ team: { scout: { ...scout, prompt: 'x'.repeat(2_000_000) } } });
    expect(begun(says(alone, task('a'), task('b')))).toEqual(['a']);
  });

  it('that need approval are asked for one by one', () => {
    const tools = [{ name: 'delegate', requiresConfirmation: true }];
    const state = leading({ agent: { ...boss, tools } });
    expect(begun(says(state, task('a'), task('b')))).toBe('park');
    expect(open(state).confirms).toMatchObject({ tool: 'delegate', arguments: { task: 'Look at a' } });
    answer(state, { answer: 'Yes, proceed', questionId: 'question-1' }, NOW);
    expect(begun(advance(state, NOW))).toEqual(['a']);
  });

  it(`end ${MAX_DEPTH} agents deep, with an error the model can read`, () => {
    const origin = Array.from({ length: MAX_DEPTH }, () => 'boss');
    const state = leading({ lineage: { root: 'r', origin, parent: null } });
    expect(begun(says(state, task('a')))).toBe('think');
    expect(results(state)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('Not delegated'),
    });
  });

  it('that would be too deep are not asked for first', () => {
    const tools = [{ name: 'delegate', requiresConfirmation: true }];
    const origin = Array.from({ length: MAX_DEPTH }, () => 'boss');
    const state = leading({ agent: { ...boss, tools }, lineage: { root: 'r', origin, parent: null } });
    expect(begun(says(state, task('a')))).toBe('think');
  });

  it('to an agent that is none of its own are faults', () => {
    const state = leading();
    says(state, task('a', 'boss'));
    expect(results(state)[0]).toMatchObject({ is_error: true, content: expect.stringContaining('scout') });
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
  const sub = subConversation(parent, { agent: 'scout', task: 'Look' }, 'c-2', NOW) as State;

  it('begins with the task, and knows whom it works for', () => {
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

  it("belongs to the same people, and to those the sub-agent's file names", () => {
    expect(sub.access).toEqual({ owner: 'ada', visibleTo: ['ops'], assignees: ['maria', 'sam'] });
    expect(sub).toMatchObject({
      metadata: { ticket: 7 },
      policy: { timeout: null },
      callbackUrl: 'https://x.y',
    });
  });

  it('takes along those it can reach itself, and no others', () => {
    const mole = { ...scout, name: 'mole', subagents: ['scout'] };
    const guide = { ...scout, name: 'guide', subagents: ['mole', 'boss'] };
    const team = { scout, mole, guide, other: scout, boss: { ...boss, subagents: ['guide'] } };
    const below = (name: string) =>
      Object.keys(subConversation(leading({ team }), { agent: name, task: 'Look' }, 'c-2', NOW)?.team ?? {});
    expect(below('scout')).toEqual([]);
    expect(below('mole')).toEqual(['scout']);
    expect(new Set(below('guide'))).toEqual(new Set(['mole', 'scout', 'boss', 'guide']));
  });

  it('has addresses of its own', () => {
    expect(sub.links).toEqual({
      self: 'https://p.example/conversations/x/v1/conversations/c-2',
      events: 'https://p.example/v1/conversations/c-2/events',
      web: 'https://p.example/conversations/c-2',
      temporal: 'https://t.example/namespaces/default/workflows/c-2',
    });
  });

  it('asks with its lineage', () => {
    says(sub, use('q', 'ask_user_question', { questions: [{ question: 'Which?' }] }));
    expect(open(sub)).toMatchObject({ agent: 'scout', origin: ['boss', 'scout'], conversationId: 'c-2' });
  });

  it('is none where the agent is not among those that were pinned', () => {
    for (const name of ['nobody', '__proto__', 'constructor'])
      expect(subConversation(parent, { agent: name, task: 'Look' }, 'c-3', NOW)).toBeUndefined();
    expect(subConversation(started(), { agent: 'scout', task: 'Look' }, 'c-3', NOW)).toBeUndefined();
  });

  it('keeps to as many names as can be indexed', () => {
    const many = Array.from({ length: 50 }, (_, n) => `${n}-${'x'.repeat(30)}`);
    const crowded = leading({ access: { ...access, assignees: many } });
    const child = subConversation(crowded, { agent: 'scout', task: 'Look' }, 'c-2', NOW);
    expect(child?.access.assignees).toEqual(many);
  });
});

describe('what a sub-agent came to', () => {
  const ended = (status: State['status'], rest: Partial<State>) =>
    heardOf('scout', reportOf({ ...started(), status, ...rest }));

  it.each([
    ['its result', ended('completed', { result: 'Two doors.' }), { result: 'Two doors.' }],
    [
      'that it said nothing',
      ended('completed', { result: '' }),
      { result: expect.stringContaining('said nothing') },
    ],
    [
      'why it failed',
      ended('failed', { error: { code: 'x', message: 'No model.' } }),
      { error: 'The sub-agent scout did not finish (failed): No model.' },
    ],
    ['that it was cancelled', ended('cancelled', {}), { error: expect.stringContaining('cancelled') }],
    ['that it left nothing', heardOf('scout', undefined), { error: expect.stringContaining('no result') }],
  ])('is heard as %s', (_what, heard, expected) => {
    expect(heard).toEqual(expected);
  });
});
