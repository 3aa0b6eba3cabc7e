import { applyUserMessage } from '#core/conversation/messages';
import type { ConversationState } from '#core/conversation/state';
import { jsonBytes } from '#core/json';
import { NO_LABEL, YES_LABEL } from '#core/questions/create';
import { applyAnswer } from '#core/questions/resolve';
import {
  askingConversation,
  colourQuestion,
  confirmingConversation,
  modelSays,
  nameQuestion,
  pendingQuestion,
  START_TIME,
  testAgent,
  toolResultsIn,
  toolUse,
} from '#test/support/core/conversation-fixture';
import { REFUSED_QUESTIONS } from '#test/support/tools/malformed-calls';

/** Why the question was not asked, as the model reads it. */
function refusal(state: ConversationState): string {
  expect(state.question).toBeNull();
  expect(state.status).toBe('running');
  const result = toolResultsIn(state).at(-1);
  expect(result?.is_error).toBe(true);
  return result?.content ?? '';
}

describe('a question', () => {
  it('has defaults for what the model omitted', () => {
    const state = askingConversation([colourQuestion, nameQuestion]);
    expect(state.status).toBe('waiting_for_input');
    expect(pendingQuestion(state)).toEqual({
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
          ...colourQuestion,
          multiSelect: false,
          allowOther: true,
          required: true,
        },
        {
          key: 'q2',
          header: 'Question 2',
          ...nameQuestion,
          multiSelect: false,
          allowOther: true,
          required: true,
        },
      ],
      askedAt: '2026-01-05T09:00:00.000Z',
      expiresAt: '2026-01-06T09:00:00.000Z',
      onTimeout: 'continue',
      notices: [],
      outcome: null,
    });
  });

  it('has what the model set', () => {
    const asked = {
      ...colourQuestion,
      header: 'Paint',
      multiSelect: true,
      allowOther: false,
      default: ['Red'],
    };
    const context = 'The **shed** is by the road.';
    const question = pendingQuestion(askingConversation([asked], { context, timeout: '2h', onTimeout: 'default' }));
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
    expect(pendingQuestion(askingConversation([{ ...colourQuestion, header }])).fields[0]?.header).toBe(kept);
  });

  it('has no half surrogate pairs, which a link or form could not hold', () => {
    const options = [{ label: 'Red \ud83c' }, { label: 'Blue' }];
    const { fields } = pendingQuestion(askingConversation([{ ...colourQuestion, options }]));
    expect(fields[0]?.options).toEqual([{ label: 'Red \ufffd' }, { label: 'Blue' }]);
    const confirmation = pendingQuestion(confirmingConversation({ arguments: { path: '\udfa8' } }));
    expect(confirmation.confirms?.arguments).toEqual({ path: '\ufffd' });
  });

  it('is numbered throughout the conversation', () => {
    const state = askingConversation();
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    modelSays(state, toolUse('call-2', 'ask_user_question', { questions: [nameQuestion] }));
    expect(pendingQuestion(state).id).toBe('question-2');
  });

  it.each(REFUSED_QUESTIONS)('is a tool error with %s, and the conversation continues', (_what, questions, message) => {
    const state = askingConversation(questions);
    expect(refusal(state)).toMatch(message);
    expect(modelSays(state, toolUse('call-2', 'ask_user_question', { questions: [colourQuestion] }))).toEqual({
      do: 'park',
    });
  });

  it('is rejected with every error at once', () => {
    const bad = { question: 'Q?', options: [{ label: 'A' }, { label: 'A' }], default: 'B' };
    const said = refusal(askingConversation([bad, bad]));
    for (const fault of ['q1: two options', 'q1: invalid default', 'q2: two options', 'same text'])
      expect(said).toContain(fault);
  });

  it('is at most 16 KB with all its fields, counted in bytes', () => {
    const long = (text: string) => [0, 1, 2, 3].map((n) => ({ question: `${n}${text.repeat(1_990)}?` }));
    const ascii = askingConversation(long('x'), { context: 'x'.repeat(4_000) });
    expect(jsonBytes(pendingQuestion(ascii))).toBeLessThanOrEqual(16 * 1024);
    const state = askingConversation(long('é'), { context: 'x'.repeat(4_000) });
    expect(refusal(state)).toContain('16 KB');
    expect(state.questionCount).toEqual({ total: 0, sinceMessage: 0 });
  });
});

describe('the limits on asking', () => {
  const again = (state: ConversationState, id: string, question: object = nameQuestion) =>
    modelSays(state, toolUse(id, 'ask_user_question', { questions: [question] }));

  it('stop a loop within a turn, until the user sends a message', () => {
    const state = askingConversation([colourQuestion], {}, { agent: testAgent({ perTurn: 2 }) });
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    expect(again(state, 'call-2')).toEqual({ do: 'park' });
    applyAnswer(state, { answer: 'Ada' }, START_TIME);
    expect(again(state, 'call-3')).toMatchObject({ do: 'callModel' });
    expect(refusal(state)).toMatch(/limit of 2 calls for one message/);
    applyUserMessage(state, { text: 'Go on, ask.' }, START_TIME);
    again(state, 'call-4');
    expect(again(state, 'call-5')).toEqual({ do: 'park' });
    expect(state.questionCount).toEqual({ total: 3, sinceMessage: 1 });
  });

  it('stop a loop within a conversation, whatever the user sends', () => {
    const state = askingConversation([colourQuestion], {}, { agent: testAgent({ perConversation: 1 }) });
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    applyUserMessage(state, { text: 'And the door?' }, START_TIME);
    again(state, 'call-2');
    expect(refusal(state)).toMatch(/limit of 1 calls in this conversation/);
  });

  it('apply to approvals, too', () => {
    const state = confirmingConversation({}, { agent: testAgent({ perTurn: 1 }) });
    applyAnswer(state, { answer: YES_LABEL }, START_TIME);
    modelSays(state, toolUse('call-2', 'confirm_action', { action: 'And again?' }));
    expect(refusal(state)).toMatch(/limit of/);
  });

  it('do not count calls that were rejected', () => {
    const state = askingConversation(
      [{ ...colourQuestion, default: 'Mauve' }],
      {},
      { agent: testAgent({ perTurn: 1 }) },
    );
    again(state, 'call-2', { question: '' });
    expect(state.questionCount).toEqual({ total: 0, sinceMessage: 0 });
    expect(again(state, 'call-3')).toEqual({ do: 'park' });
  });
});

describe('an approval', () => {
  it('shows the exact arguments, and offers only yes and no', () => {
    const args = { path: '/srv/shed', force: true, note: '```\nhidden', list: [1, { a: null }] };
    const question = pendingQuestion(confirmingConversation({ details: 'For *good*.', arguments: args }));
    const [, shown] = /^For \*good\*\.\n\n```json\n([\s\S]*)\n```$/.exec(question.context ?? '') ?? [];
    expect(JSON.parse(shown ?? '')).toEqual(args);
    expect(question.fields).toEqual([
      {
        key: 'q1',
        header: 'Confirm',
        question: 'Delete the shed?',
        options: [{ label: YES_LABEL }, { label: NO_LABEL }],
        multiSelect: false,
        allowOther: false,
        required: true,
      },
    ]);
    expect([YES_LABEL, NO_LABEL]).toEqual(['Yes, proceed', 'No, cancel']);
  });

  it('shows arguments with any name', () => {
    const args = JSON.parse('{"__proto__": {"force": true}, "path": "/srv"}');
    expect(pendingQuestion(confirmingConversation({ arguments: args })).context).toContain('"force": true');
  });

  it('has no context if there is nothing to show, and says if there are no arguments', () => {
    expect(pendingQuestion(confirmingConversation()).context).toBeNull();
    expect(pendingQuestion(confirmingConversation({ arguments: {} })).context).toContain('{}');
  });

  it('has a default only if the model set one, which is "No"', () => {
    expect(pendingQuestion(confirmingConversation({ default: 'No' })).fields[0]?.default).toBe(NO_LABEL);
    expect(pendingQuestion(confirmingConversation()).fields[0]).not.toHaveProperty('default');
  });

  it('is not asked if its arguments are too large to show', () => {
    expect(refusal(confirmingConversation({ arguments: { data: 'x'.repeat(20_000) } }))).toContain('16 KB');
  });
});
