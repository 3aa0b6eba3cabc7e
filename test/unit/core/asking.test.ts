import { NO, YES } from '#core/asking';
import { jsonBytes } from '#core/json';
import { answer, hearUser } from '#core/settling';
import type { State } from '#core/state';
import {
  agent,
  asking,
  colour,
  confirming,
  NOW,
  name,
  open,
  results,
  says,
  use,
} from '#test/support/core/given';
import { refused } from '#test/support/tools/malformed-calls';

/** Why the question was not put, as the model reads it. */
function refusal(state: State): string {
  expect(state.question).toBeNull();
  expect(state.status).toBe('running');
  const result = results(state).at(-1);
  expect(result?.is_error).toBe(true);
  return result?.content ?? '';
}

describe('a question', () => {
  it('has what the model left out', () => {
    const state = asking([colour, name]);
    expect(state.status).toBe('waiting_for_input');
    expect(open(state)).toEqual({
      id: 'question-1',
      conversationId: 'c-1',
      agent: 'clerk',
      origin: ['clerk'],
      status: 'pending',
      context: null,
      fields: [
        {
          key: 'q1',
          header: 'Question 1',
          ...colour,
          multiSelect: false,
          allowOther: true,
          required: true,
        },
        { key: 'q2', header: 'Question 2', ...name, multiSelect: false, allowOther: true, required: true },
      ],
      askedAt: '2026-01-05T09:00:00.000Z',
      expiresAt: '2026-01-06T09:00:00.000Z',
      onTimeout: 'continue',
      notices: [],
      outcome: null,
    });
  });

  it('has what the model put in', () => {
    const asked = { ...colour, header: 'Paint', multiSelect: true, allowOther: false, default: ['Red'] };
    const context = 'The **shed** is by the road.';
    const question = open(asking([asked], { context, timeout: '2h', onTimeout: 'default' }));
    expect(question.fields).toEqual([{ key: 'q1', ...asked, required: true }]);
    expect(question).toMatchObject({
      context,
      expiresAt: '2026-01-05T11:00:00.000Z',
      onTimeout: 'default',
    });
  });

  it.each([
    ['Twelve chars', 'Twelve chars'],
    ['Thirteen char', 'Thirteen cha'],
    ['A cut at the end of a word', 'A cut at the'],
    ['Elevenchars and more', 'Elevenchars'],
    ['🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨', '🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨'],
    ['🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨', '🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨🎨'],
    ['größeß größeß', 'größeß größe'],
    ['   ', 'Question 1'],
    ['', 'Question 1'],
  ])('has a header of at most 12 characters: %j', (header, kept) => {
    expect(open(asking([{ ...colour, header }])).fields[0]?.header).toBe(kept);
  });

  it('is numbered on through the conversation', () => {
    const state = asking();
    answer(state, { answer: 'Red' }, NOW);
    says(state, use('call-2', 'ask_user_question', { questions: [name] }));
    expect(open(state).id).toBe('question-2');
  });

  it.each(refused)('is a tool error with %s, and the conversation goes on', (_what, questions, message) => {
    const state = asking(questions);
    expect(refusal(state)).toMatch(message);
    expect(says(state, use('call-2', 'ask_user_question', { questions: [colour] }))).toEqual({ do: 'park' });
  });

  it('is refused with every fault at once', () => {
    const bad = { question: 'Q?', options: [{ label: 'A' }, { label: 'A' }], default: 'B' };
    const said = refusal(asking([bad, bad]));
    for (const fault of ['q1: two options', 'q1: the default', 'q2: two options', 'same text'])
      expect(said).toContain(fault);
  });

  it('is at most 16 KB with all its fields, counted in bytes', () => {
    const long = (text: string) => [0, 1, 2, 3].map((n) => ({ question: `${n}${text.repeat(1_990)}?` }));
    const ascii = asking(long('x'), { context: 'x'.repeat(4_000) });
    expect(jsonBytes(open(ascii))).toBeLessThanOrEqual(16 * 1024);
    const state = asking(long('é'), { context: 'x'.repeat(4_000) });
    expect(refusal(state)).toContain('16 KB');
    expect(state.asked).toEqual({ total: 0, sinceMessage: 0 });
  });
});

describe('the limits on asking', () => {
  const again = (state: State, id: string, question: object = name) =>
    says(state, use(id, 'ask_user_question', { questions: [question] }));

  it('stop a loop within a turn, until the user says something', () => {
    const state = asking([colour], {}, { agent: agent({ perTurn: 2 }) });
    answer(state, { answer: 'Red' }, NOW);
    expect(again(state, 'call-2')).toEqual({ do: 'park' });
    answer(state, { answer: 'Ada' }, NOW);
    expect(again(state, 'call-3')).toMatchObject({ do: 'think' });
    expect(refusal(state)).toMatch(/asked 2 times in this turn/);
    hearUser(state, { text: 'Go on, ask.' }, NOW);
    again(state, 'call-4');
    expect(again(state, 'call-5')).toEqual({ do: 'park' });
    expect(state.asked).toEqual({ total: 3, sinceMessage: 1 });
  });

  it('stop a loop within a conversation, whatever the user says', () => {
    const state = asking([colour], {}, { agent: agent({ perConversation: 1 }) });
    answer(state, { answer: 'Red' }, NOW);
    hearUser(state, { text: 'And the door?' }, NOW);
    again(state, 'call-2');
    expect(refusal(state)).toMatch(/asked 1 times in this conversation/);
  });

  it('hold for confirmations too', () => {
    const state = confirming({}, { agent: agent({ perTurn: 1 }) });
    answer(state, { answer: YES }, NOW);
    says(state, use('call-2', 'confirm_action', { action: 'And again?' }));
    expect(refusal(state)).toMatch(/the most allowed/);
  });

  it('do not count calls that were refused', () => {
    const state = asking([{ ...colour, default: 'Mauve' }], {}, { agent: agent({ perTurn: 1 }) });
    again(state, 'call-2', { question: '' });
    expect(state.asked).toEqual({ total: 0, sinceMessage: 0 });
    expect(again(state, 'call-3')).toEqual({ do: 'park' });
  });
});

describe('a confirmation', () => {
  it('shows the exact arguments, and offers yes or no and nothing else', () => {
    const args = { path: '/srv/shed', force: true, note: '```\nhidden', list: [1, { a: null }] };
    const question = open(confirming({ details: 'For *good*.', arguments: args }));
    const [, shown] = /^For \*good\*\.\n\n```json\n([\s\S]*)\n```$/.exec(question.context ?? '') ?? [];
    expect(JSON.parse(shown ?? '')).toEqual(args);
    expect(question.fields).toEqual([
      {
        key: 'q1',
        header: 'Confirm',
        question: 'Delete the shed?',
        options: [{ label: YES }, { label: NO }],
        multiSelect: false,
        allowOther: false,
        required: true,
      },
    ]);
    expect([YES, NO]).toEqual(['Yes, proceed', 'No, cancel']);
  });

  it('shows arguments of every name', () => {
    const args = JSON.parse('{"__proto__": {"force": true}, "path": "/srv"}');
    expect(open(confirming({ arguments: args })).context).toContain('"force": true');
  });

  it('has no context where there is nothing to show, and shows that there are no arguments', () => {
    expect(open(confirming()).context).toBeNull();
    expect(open(confirming({ arguments: {} })).context).toContain('{}');
  });

  it('has a default only where the model named one, and then it is "No"', () => {
    expect(open(confirming({ default: 'No' })).fields[0]?.default).toBe(NO);
    expect(open(confirming()).fields[0]).not.toHaveProperty('default');
  });

  it('with arguments too large to show is not put', () => {
    expect(refusal(confirming({ arguments: { data: 'x'.repeat(20_000) } }))).toContain('16 KB');
  });
});
