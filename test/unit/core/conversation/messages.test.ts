import { advance } from '#core/conversation/advance';
import {
  applyCancel,
  applyLinkCreation,
  applyLinkRevocation,
  applyUserMessage,
  MAX_QUEUED_BYTES,
} from '#core/conversation/messages';
import { type ConversationState, reopenConversation } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { YES_LABEL } from '#core/questions/create';
import { applyAnswer, applyDecline } from '#core/questions/resolve';
import {
  askingConversation,
  cloneState,
  colourQuestion,
  confirmingConversation,
  modelSays,
  nameQuestion,
  pendingQuestion,
  questionResultJson,
  resolvedQuestion,
  START_TIME,
  sizesQuestion,
  startedConversation,
  toolResultsIn,
} from '#test/support/core/conversation-fixture';

const junk: [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['NaN', Number.NaN],
  ['a bigint', 5n],
  ['a boolean', true],
  ['text', 'Red'],
  ['empty text', ''],
  ['a list', ['Red']],
  ['an empty list', []],
  ['an empty object', {}],
  ['an object without a prototype', Object.create(null)],
  ['a function', () => 'Red'],
  ['a symbol', Symbol('Red')],
  ['a date', new Date(START_TIME)],
  ['a map', new Map([['answer', 'Red']])],
  ['answers that are null', { answers: null }],
  ['answers that are a list', { answers: ['Red'] }],
  ['answers that are text', { answers: 'Red' }],
  ['an answer that is null', { answer: null }],
  ['an answer that is an object', { answer: { q1: 'Red' } }],
  ['an answer that is a function', { answer: () => 'Red' }],
  ['a value that is null', { answers: { q1: null } }],
  ['__proto__ among the answers', JSON.parse('{"answers": {"q1": "Red", "__proto__": "Red"}}')],
  ['everything of the wrong type', { id: 1, answers: 0, comment: {}, by: 2, via: 3, text: 4 }],
  ['a time of receipt that is text', { receivedAt: 'now', answer: 7 }],
  ['a text that is a list', { text: ['Red'] }],
  ['a blank text', { text: ' \n ' }],
];

describe.each(junk)('a signal that is %s', (_what, raw) => {
  it.each([
    ['running', startedConversation()],
    ['waiting', askingConversation()],
  ])('neither answers nor adds a message to a conversation that is %s', (_status, given) => {
    const state = structuredClone(given);
    for (const move of [applyAnswer, applyUserMessage]) expect(move(state, raw, START_TIME).ok).toBe(false);
    expect(state).toEqual(given);
  });

  it('does not break a decline or a cancel, which need no content', () => {
    const state = askingConversation();
    expect(applyDecline(state, raw, START_TIME)).toEqual({ ok: true });
    expect(applyCancel(state, raw, START_TIME)).toEqual({ ok: true });
    expect(cloneState(state)).toEqual(state);
    expect(applyCancel(state, raw, START_TIME)).toEqual({ ok: false, reason: 'finished' });
    for (const move of [applyAnswer, applyDecline]) expect(move(state, raw, START_TIME).ok).toBe(false);
  });
});

it.each([null, 1, [], {}, true])('a question id of %j matches no question, not even the open one', (questionId) => {
  const state = askingConversation();
  for (const move of [applyAnswer, applyDecline]) {
    expect(move(state, { questionId, answer: 'Red' }, START_TIME)).toEqual({
      ok: false,
      reason: 'no_question',
    });
  }
});

describe('a message while a question is open', () => {
  it.each([
    ['answers a single free field', [nameQuestion], 'Ada', { 'What name?': 'Ada' }],
    ['answers a single choice as "other"', [colourQuestion], 'Red', { 'Which colour?': { other: 'Red' } }],
    [
      'answers a single list as "other"',
      [{ ...colourQuestion, multiSelect: true }],
      'Mauve',
      { 'Which colour?': [{ other: 'Mauve' }] },
    ],
  ])('%s', (_what, questions, text, answers) => {
    const state = askingConversation(questions);
    expect(applyUserMessage(state, { id: 'm-1', text, by: 'ada', via: 'http' }, START_TIME)).toEqual({
      ok: true,
    });
    expect(resolvedQuestion(state)).toMatchObject({ status: 'answered', outcome: { by: 'ada' } });
    expect(state.queuedMessages).toEqual([]);
    expect(state.messageResults).toMatchObject([{ id: 'm-1', questionId: 'question-1', status: 'answered' }]);
    expect(questionResultJson(state)).toEqual({ answers });
  });

  it('waits if its sender may not answer', () => {
    const state = askingConversation([nameQuestion]);
    expect(applyUserMessage(state, { id: 'm-1', text: 'Ada', mayAnswer: false }, START_TIME)).toEqual({
      ok: true,
    });
    expect(pendingQuestion(state).status).toBe('pending');
    expect(state.queuedMessages).toEqual(['Ada']);
  });

  it.each([
    ['a question with several fields', () => askingConversation([nameQuestion, colourQuestion])],
    ['a choice without "other"', () => askingConversation([{ ...colourQuestion, allowOther: false }])],
    ['a list without "other"', () => askingConversation([sizesQuestion])],
    ['an action that needs approval', () => confirmingConversation()],
  ])('waits behind %s, whatever it says', (_what, given) => {
    for (const text of [YES_LABEL, 'yes', 'Red', '{"q1": "Red"}']) {
      const state = given();
      expect(applyUserMessage(state, { id: 'm-1', text }, START_TIME)).toEqual({ ok: true });
      expect(pendingQuestion(state).status).toBe('pending');
      expect(state.queuedMessages).toEqual([text]);
      expect(state.entries.at(-1)).toMatchObject({ kind: 'message', role: 'user', text });
      expect(state.messageResults).toMatchObject([{ id: 'm-1', questionId: null, status: 'accepted' }]);
      expect(advance(state, START_TIME)).toEqual({ do: 'park' });
    }
  });

  it('never approves an action, even if it contains an answer', () => {
    const state = confirmingConversation();
    applyUserMessage(state, { text: YES_LABEL, answer: YES_LABEL, answers: { q1: YES_LABEL } }, START_TIME);
    expect(pendingQuestion(state).status).toBe('pending');
  });

  it('follows the result of the question once that is closed, verbatim', () => {
    const state = confirmingConversation();
    for (const text of ['  Wait!\n', 'Please.']) applyUserMessage(state, { text }, START_TIME);
    applyDecline(state, {}, START_TIME);
    advance(state, START_TIME);
    expect(state.transcript.at(-1)?.content).toEqual([
      expect.objectContaining({ type: 'tool_result', tool_use_id: 'call-1' }),
      { type: 'text', text: '  Wait!\n' },
      { type: 'text', text: 'Please.' },
    ]);
    expect(state.queuedMessages).toEqual([]);
  });

  it('sent after the deadline does not answer: it waits', () => {
    const state = askingConversation([nameQuestion], { timeout: '1s' });
    expect(applyUserMessage(state, { text: 'Ada', receivedAt: START_TIME + 1_000 }, START_TIME)).toEqual({
      ok: true,
    });
    expect(pendingQuestion(state).status).toBe('pending');
    expect(state.queuedMessages).toEqual(['Ada']);
  });

  it('sent again with its id is delivered once', () => {
    const state = confirmingConversation();
    applyUserMessage(state, { id: 'm-1', text: 'Wait!' }, START_TIME);
    expect(applyUserMessage(state, { id: 'm-1', text: 'Wait!' }, START_TIME)).toEqual({
      ok: false,
      reason: 'repeat',
    });
    expect(state.queuedMessages).toEqual(['Wait!']);
    applyUserMessage(state, { text: 'Wait!' }, START_TIME);
    expect(state.queuedMessages).toEqual(['Wait!', 'Wait!']);
  });

  it('is never dropped once Temporal has accepted it, and the API sees how much is queued', () => {
    const state = confirmingConversation();
    const text = 'é'.repeat(50_000);
    for (let n = 0; n < 10; n += 1) expect(applyUserMessage(state, { text }, START_TIME)).toEqual({ ok: true });
    expect(state.queuedMessages).toHaveLength(10);
    expect(buildMemo(state).queuedBytes).toBeGreaterThanOrEqual(1_000_000);
    expect(buildMemo(state).queuedBytes).toBeGreaterThan(MAX_QUEUED_BYTES);
  });
});

it('short messages that wait count towards the limit of the queue', () => {
  const state = askingConversation();
  for (let n = 0; n < 1_100; n += 1) applyUserMessage(state, { id: `m${n}`, text: 'x', mayAnswer: false }, START_TIME);
  expect(buildMemo(state).queuedBytes).toBeGreaterThan(MAX_QUEUED_BYTES);
});

describe('a cancel', () => {
  it('closes the open question, ends the conversation and records the reason', () => {
    const state = askingConversation();
    expect(applyCancel(state, { id: 'x-1', reason: 'Sold the shed.', by: 'ada', via: 'http' }, START_TIME)).toEqual({
      ok: true,
    });
    expect(advance(state, START_TIME)).toEqual({ do: 'end' });
    expect(state).toMatchObject({
      status: 'cancelled',
      question: null,
      result: null,
      error: { code: 'cancelled', message: expect.stringContaining('Sold the shed.') },
      messageResults: [{ id: 'x-1', questionId: 'question-1', status: 'cancelled', by: 'ada' }],
    });
    expect(resolvedQuestion(state)).toMatchObject({
      status: 'cancelled',
      outcome: { by: 'ada', comment: 'Sold the shed.' },
    });
    expect(toolResultsIn(state)).toMatchObject([{ tool_use_id: 'call-1', is_error: true }]);
  });

  it('without an open question has a result of its own', () => {
    const state = startedConversation();
    applyCancel(state, { id: 'x-1' }, START_TIME);
    expect(state.messageResults).toMatchObject([{ id: 'x-1', questionId: null, status: 'cancelled' }]);
  });

  it('keeps what the user had said, and is not undone by it', () => {
    const state = confirmingConversation();
    applyUserMessage(state, { text: 'Wait!' }, START_TIME);
    applyCancel(state, {}, START_TIME);
    expect(advance(state, START_TIME)).toEqual({ do: 'end' });
    expect(state.status).toBe('cancelled');
    expect(state.transcript.at(-1)?.content.at(-1)).toEqual({ type: 'text', text: 'Wait!' });
  });

  it('sent again with its id does not cancel a conversation resumed since', () => {
    const state = startedConversation();
    applyCancel(state, { id: 'x-1' }, START_TIME);
    applyUserMessage(state, { id: 'm-1', text: 'Go on after all.' }, START_TIME);
    advance(state, START_TIME);
    modelSays(state, 'Done.');
    applyUserMessage(state, { id: 'm-2', text: 'And the door?' }, START_TIME);
    advance(state, START_TIME);
    expect(applyCancel(state, { id: 'x-1' }, START_TIME)).toEqual({ ok: false, reason: 'repeat' });
    expect(state.status).toBe('running');
  });

  it('has a result that is not mistaken for that of the message before it', () => {
    const state = startedConversation();
    applyUserMessage(state, { text: 'Wait!' }, START_TIME);
    applyCancel(state, {}, START_TIME);
    const ids = state.messageResults.map((verdict) => verdict.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the timeline', () => {
  const maria = { by: 'maria', via: 'slack' };
  const lastEntry = (state: ConversationState) => state.entries.at(-1);

  it('says who sent a message, cancelled and resumed', () => {
    const state = startedConversation({ startedBy: { by: 'ci', via: 'webhook' } });
    expect(state.entries[0]).toMatchObject({ kind: 'message', by: 'ci', via: 'webhook' });
    applyUserMessage(state, { text: 'More', ...maria }, START_TIME);
    expect(lastEntry(state)).toMatchObject({ kind: 'message', text: 'More', ...maria });
    applyCancel(state, { id: 'c', ...maria }, START_TIME);
    expect(lastEntry(state)).toMatchObject({ kind: 'status', status: 'cancelled', ...maria });
    reopenConversation(state, START_TIME, { ...maria, via: 'web' });
    expect(lastEntry(state)).toMatchObject({ kind: 'status', status: 'running', by: 'maria', via: 'web' });
  });

  it('says who created and revoked answer links, once', () => {
    const state = askingConversation([colourQuestion]);
    const link = { id: 'l', questionId: 'question-1', person: 'ann', ...maria };
    applyLinkCreation(state, link, START_TIME);
    applyLinkCreation(state, link, START_TIME);
    applyLinkRevocation(state, { id: 'r', questionId: 'question-1', person: 'ann', ...maria }, START_TIME);
    const notices = state.entries.filter(({ kind }) => kind === 'notice');
    expect(notices).toMatchObject([
      { channel: 'link', what: 'question-1: link created for ann', ...maria },
      { channel: 'link', what: 'question-1: links revoked for ann', ...maria },
    ]);
  });
});
