import { advance } from '#core/conversation/advance';
import { applyUserMessage } from '#core/conversation/messages';
import type { ConversationState } from '#core/conversation/state';
import { NO_LABEL, YES_LABEL } from '#core/questions/create';
import { applyAnswer, applyDecline, expireQuestion } from '#core/questions/resolve';
import { selectTimeline } from '#core/timeline';
import {
  askingConversation,
  cloneState,
  colourQuestion,
  confirmingConversation,
  modelSays,
  nameQuestion,
  ONE_HOUR,
  questionResultJson,
  resolvedQuestion,
  START_TIME,
  sizesQuestion,
  startedConversation,
  toolResultsIn,
  toolUse,
} from '#test/support/core/conversation-fixture';

const LATER = START_TIME + 1_000;
const later = new Date(LATER).toISOString();
/** The outcome has the time of the answer, the result the time of its processing. */
const received = new Date(START_TIME).toISOString();
const sent = { id: 'a-1', by: 'ada', via: 'http', digest: 'd', receivedAt: START_TIME };

/** Checks that it was rejected with this error, and that nothing else changed. */
function expectUnchanged(state: ConversationState, move: (state: ConversationState) => unknown, refusal: object): void {
  const before = cloneState(state);
  expect(move(state)).toMatchObject({ ok: false, ...refusal });
  expect(state).toEqual(before);
}

describe('an answer', () => {
  it('closes the question, records who and when, and the conversation continues', () => {
    const state = askingConversation([colourQuestion, sizesQuestion, nameQuestion]);
    const answers = { q1: { other: 'Mauve' }, 'Which sizes?': ['S', 'L'], q3: 'Ada' };
    expect(applyAnswer(state, { ...sent, answers, comment: 'In a hurry.' }, LATER)).toEqual({ ok: true });
    expect(state.question).toBeNull();
    expect(state.status).toBe('running');
    const byKey = { q1: { other: 'Mauve' }, q2: ['S', 'L'], q3: 'Ada' };
    expect(resolvedQuestion(state)).toMatchObject({
      id: 'question-1',
      status: 'answered',
      outcome: { answers: byKey, comment: 'In a hurry.', by: 'ada', via: 'http', at: received },
    });
    expect(state.messageResults).toEqual([
      { id: 'a-1', questionId: 'question-1', status: 'answered', digest: 'd', by: 'ada', at: later },
    ]);
    expect(questionResultJson(state)).toEqual({
      answers: { 'Which colour?': { other: 'Mauve' }, 'Which sizes?': ['S', 'L'], 'What name?': 'Ada' },
      comment: 'In a hurry.',
    });
    expect(toolResultsIn(state)[0]?.tool_use_id).toBe('call-1');
  });

  it.each([
    ['in the future', Date.parse('2030-01-01'), LATER],
    ['before it was asked', 0, START_TIME],
    ['at an invalid time', 1e300, LATER],
  ])('that claims to have come %s gets a possible time', (_when, receivedAt, at) => {
    const state = askingConversation([colourQuestion], { timeout: 'never' });
    expect(applyAnswer(state, { answers: { q1: 'Red' }, receivedAt }, LATER)).toEqual({ ok: true });
    expect(resolvedQuestion(state).outcome?.at).toBe(new Date(at).toISOString());
  });

  it("from Temporal's own tools needs neither an id nor a sender", () => {
    const state = askingConversation();
    expect(applyAnswer(state, { answers: { q1: 'Red' } }, START_TIME)).toEqual({ ok: true });
    expect(resolvedQuestion(state).outcome).toMatchObject({ via: 'temporal' });
    expect(questionResultJson(state)).toEqual({ answers: { 'Which colour?': 'Red' } });
  });

  it('that is invalid is rejected with its errors, and the question stays open', () => {
    const issues = [{ path: 'answers.q1', message: expect.any(String), allowed: ['Red', 'Blue'] }];
    expectUnchanged(askingConversation(), (s) => applyAnswer(s, { ...sent, answer: 'Mauve' }, START_TIME), {
      reason: 'invalid',
      issues,
    });
  });

  it('to another question is rejected', () => {
    const misdirected = { ...sent, questionId: 'question-2', answer: 'Red' };
    expectUnchanged(askingConversation(), (s) => applyAnswer(s, misdirected, START_TIME), {
      reason: 'no_question',
    });
    expectUnchanged(askingConversation(), (s) => applyDecline(s, misdirected, START_TIME), {
      reason: 'no_question',
    });
    expectUnchanged(startedConversation(), (s) => applyAnswer(s, { ...sent, answer: 'Red' }, START_TIME), {
      reason: 'no_question',
    });
  });

  it('that is second is rejected, and the first counts', () => {
    const state = askingConversation();
    applyAnswer(state, { ...sent, answer: 'Red' }, START_TIME);
    const second = { ...sent, id: 'a-2', questionId: 'question-1', answer: 'Blue' };
    expectUnchanged(state, (s) => applyAnswer(s, second, LATER), { reason: 'no_question' });
    expectUnchanged(state, (s) => applyDecline(s, second, LATER), { reason: 'no_question' });
  });

  it('sent again with its id never answers the next question', () => {
    const state = askingConversation();
    applyAnswer(state, { ...sent, answer: 'Red' }, START_TIME);
    advance(state, START_TIME);
    modelSays(
      state,
      toolUse('call-2', 'ask_user_question', { questions: [{ ...colourQuestion, question: 'And inside?' }] }),
    );
    expectUnchanged(state, (s) => applyAnswer(s, { ...sent, answer: 'Red' }, LATER), { reason: 'repeat' });
    expectUnchanged(state, (s) => applyDecline(s, sent, LATER), { reason: 'repeat' });
  });

  it('counts if it was received before the deadline, however late it is processed', () => {
    const state = askingConversation([colourQuestion], { timeout: '1h' });
    const inTime = { ...sent, answer: 'Red', receivedAt: START_TIME + ONE_HOUR - 1 };
    expect(applyAnswer(state, inTime, START_TIME + 5 * ONE_HOUR)).toEqual({ ok: true });
    expect(resolvedQuestion(state).status).toBe('answered');
  });

  it.each([
    ['received at the deadline', { receivedAt: START_TIME + ONE_HOUR }, START_TIME],
    ['received after the deadline', { receivedAt: START_TIME + 2 * ONE_HOUR }, START_TIME],
    ['without a time of receipt, after it in workflow time', { receivedAt: undefined }, START_TIME + ONE_HOUR],
    ['with an invalid time of receipt', { receivedAt: Number.NaN }, START_TIME + ONE_HOUR],
    ['with text as the time of receipt', { receivedAt: '2026-01-05' }, START_TIME + ONE_HOUR],
  ])('is late %s', (_what, receipt, now) => {
    const state = askingConversation([colourQuestion], { timeout: '1h' });
    const late = { ...sent, answer: 'Red', ...receipt };
    expectUnchanged(state, (s) => applyAnswer(s, late, now), { reason: 'late' });
    expectUnchanged(state, (s) => applyDecline(s, late, now), { reason: 'late' });
  });

  it('is never late without a deadline', () => {
    const state = askingConversation([colourQuestion], { onTimeout: 'wait' });
    expect(
      applyAnswer(state, { ...sent, answer: 'Red', receivedAt: START_TIME + 9_999 * ONE_HOUR }, START_TIME),
    ).toEqual({
      ok: true,
    });
  });
});

describe('the result that the model reads', () => {
  const confirmed = (raw: object) => {
    const state = confirmingConversation();
    applyAnswer(state, { ...sent, ...raw }, START_TIME);
    return questionResultJson(state);
  };

  it('of an approval is true or false, with the comment', () => {
    expect(confirmed({ answer: YES_LABEL })).toEqual({ confirmed: true });
    expect(confirmed({ answer: NO_LABEL, comment: 'Not today.' })).toEqual({
      confirmed: false,
      comment: 'Not today.',
    });
  });

  it.each([
    [undefined, 'The user declined to answer.'],
    ['Ask Bob.', 'The user declined to answer: Ask Bob.'],
  ])('of a skipped question is an error (reason: %s), and the conversation continues', (reason, content) => {
    const state = askingConversation();
    expect(applyDecline(state, { ...sent, reason }, LATER)).toEqual({ ok: true });
    expect(resolvedQuestion(state)).toMatchObject({
      status: 'declined',
      outcome: { by: 'ada', at: received },
    });
    expect(toolResultsIn(state)).toEqual([{ type: 'tool_result', tool_use_id: 'call-1', content, is_error: true }]);
    expect(advance(state, LATER)).toMatchObject({ do: 'callModel' });
  });

  it('of a question without an answer says so, and is never a no', () => {
    for (const state of [askingConversation(), confirmingConversation()]) {
      expireQuestion(state, LATER);
      expect(resolvedQuestion(state)).toMatchObject({ status: 'timed_out', outcome: { at: later } });
      expect(resolvedQuestion(state).outcome).not.toHaveProperty('answers');
      const said = questionResultJson(state);
      expect(said).toEqual({
        outcome: 'timed_out',
        message: expect.stringContaining('neither a yes nor a no'),
      });
      expect(state.status).toBe('running');
    }
  });

  it('of a defaulted question is the default, marked as such', () => {
    const state = askingConversation([{ ...colourQuestion, default: 'Blue' }], { onTimeout: 'default' });
    expireQuestion(state, LATER);
    expect(resolvedQuestion(state)).toMatchObject({
      status: 'timed_out',
      outcome: { answers: { q1: 'Blue' }, defaulted: true, at: later },
    });
    expect(questionResultJson(state)).toEqual({
      answers: { 'Which colour?': 'Blue' },
      outcome: 'timed_out',
      message: expect.stringContaining('No answer in time'),
      defaulted: true,
    });
  });

  it('of a defaulted approval is false, marked as such', () => {
    const state = confirmingConversation({ default: 'No' }, { policy: { onTimeout: 'default' } });
    expireQuestion(state, START_TIME);
    expect(questionResultJson(state)).toMatchObject({
      confirmed: false,
      outcome: 'timed_out',
      defaulted: true,
    });
  });

  it('does not include a default that the policy does not use', () => {
    const state = askingConversation([{ ...colourQuestion, default: 'Blue' }], { onTimeout: 'continue' });
    expireQuestion(state, START_TIME);
    expect(questionResultJson(state)).not.toHaveProperty('answers');
  });
});

describe('a deadline', () => {
  it('ends the conversation if the policy is to fail', () => {
    const state = askingConversation([colourQuestion], { onTimeout: 'fail' });
    expireQuestion(state, LATER);
    expect(advance(state, LATER)).toEqual({ do: 'end' });
    expect(state).toMatchObject({
      status: 'failed',
      completedAt: later,
      result: null,
      error: { code: 'question_timed_out', message: 'No answer to “Which colour?” before the deadline.' },
    });
    expect(resolvedQuestion(state).status).toBe('timed_out');
  });

  it('changes nothing if no question is open', () => {
    const state = startedConversation();
    const before = cloneState(state);
    expireQuestion(state, LATER);
    expect(state).toEqual(before);
  });
});

it('a closed question gets an entry number of its own, after which it is shown again', () => {
  const state = askingConversation();
  const asked = state.entries.find((entry) => entry.kind === 'question');
  const seen = state.lastEntryId;
  applyAnswer(state, { ...sent, answer: 'Red' }, START_TIME);
  const [entry] = selectTimeline(state, seen).items;
  expect(entry).toMatchObject({ kind: 'question', id: asked?.id, settledId: seen + 1 });
  expect(entry).toMatchObject({ question: { status: 'answered' } });
  expect(selectTimeline(state, seen + 1).items).toMatchObject([{ kind: 'status', status: 'running' }]);
});

it.each([
  ['an answer over 32 KB', (s: ConversationState) => applyAnswer(s, { answer: 'x'.repeat(33_000) }, START_TIME)],
  [
    'a comment over 32 KB',
    (s: ConversationState) => applyAnswer(s, { answer: 'Ada', comment: 'x'.repeat(33_000) }, START_TIME),
  ],
  ['a message over 100 KB', (s: ConversationState) => applyUserMessage(s, { text: 'x'.repeat(103_000) }, START_TIME)],
])('%s is rejected even if it did not come through the API', (_what, move) => {
  expectUnchanged(askingConversation([nameQuestion]), move, { reason: 'invalid' });
});
