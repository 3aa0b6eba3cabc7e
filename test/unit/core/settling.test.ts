import { NO, YES } from '#core/asking';
import { answer, decline, expire, hearUser } from '#core/settling';
import type { State } from '#core/state';
import { advance } from '#core/turn';
import { timelineOf } from '#core/view';
import {
  asking,
  colour,
  confirming,
  copyOf,
  HOUR,
  heard,
  NOW,
  name,
  results,
  says,
  settled,
  size,
  started,
  use,
} from '#test/support/core/given';

const LATER = NOW + 1_000;
const later = new Date(LATER).toISOString();
/** The outcome tells when the person did it, the verdict when the conversation took it in. */
const received = new Date(NOW).toISOString();
const sent = { id: 'a-1', by: 'ada', via: 'http', digest: 'd', receivedAt: NOW };

/** What was sent was refused so, and nothing at all is different. */
function expectUnchanged(state: State, move: (state: State) => unknown, refusal: object): void {
  const before = copyOf(state);
  expect(move(state)).toMatchObject({ ok: false, ...refusal });
  expect(state).toEqual(before);
}

describe('an answer', () => {
  it('settles the question, says who and when, and the conversation runs on', () => {
    const state = asking([colour, size, name]);
    const answers = { q1: { other: 'Mauve' }, 'Which sizes?': ['S', 'L'], q3: 'Ada' };
    expect(answer(state, { ...sent, answers, comment: 'In a hurry.' }, LATER)).toEqual({ ok: true });
    expect(state.question).toBeNull();
    expect(state.status).toBe('running');
    const byKey = { q1: { other: 'Mauve' }, q2: ['S', 'L'], q3: 'Ada' };
    expect(settled(state)).toMatchObject({
      id: 'question-1',
      status: 'answered',
      outcome: { answers: byKey, comment: 'In a hurry.', by: 'ada', via: 'http', at: received },
    });
    expect(state.verdicts).toEqual([
      { id: 'a-1', on: 'question-1', status: 'answered', digest: 'd', by: 'ada', at: later },
    ]);
    expect(heard(state)).toEqual({
      answers: { 'Which colour?': { other: 'Mauve' }, 'Which sizes?': ['S', 'L'], 'What name?': 'Ada' },
      comment: 'In a hurry.',
    });
    expect(results(state)[0]?.tool_use_id).toBe('call-1');
  });

  it.each([
    ['in the future', Date.parse('2030-01-01'), LATER],
    ['before it was asked', 0, NOW],
    ['at no time at all', 1e300, LATER],
  ])('that claims to have come %s has a time that can be', (_when, receivedAt, at) => {
    const state = asking([colour], { timeout: 'never' });
    expect(answer(state, { answers: { q1: 'Red' }, receivedAt }, LATER)).toEqual({ ok: true });
    expect(settled(state).outcome?.at).toBe(new Date(at).toISOString());
  });

  it("from Temporal's own tools needs neither an id nor a sender", () => {
    const state = asking();
    expect(answer(state, { answers: { q1: 'Red' } }, NOW)).toEqual({ ok: true });
    expect(settled(state).outcome).toMatchObject({ via: 'temporal' });
    expect(heard(state)).toEqual({ answers: { 'Which colour?': 'Red' } });
  });

  it('that does not fit is refused with its faults, and the question stays open', () => {
    const faults = [{ path: 'answers.q1', message: expect.any(String), allowed: ['Red', 'Blue'] }];
    expectUnchanged(asking(), (s) => answer(s, { ...sent, answer: 'Mauve' }, NOW), {
      why: 'invalid',
      faults,
    });
  });

  it('to another question is refused', () => {
    const misdirected = { ...sent, questionId: 'question-2', answer: 'Red' };
    expectUnchanged(asking(), (s) => answer(s, misdirected, NOW), { why: 'no_question' });
    expectUnchanged(asking(), (s) => decline(s, misdirected, NOW), { why: 'no_question' });
    expectUnchanged(started(), (s) => answer(s, { ...sent, answer: 'Red' }, NOW), { why: 'no_question' });
  });

  it('that comes second is refused, and the first stands', () => {
    const state = asking();
    answer(state, { ...sent, answer: 'Red' }, NOW);
    const second = { ...sent, id: 'a-2', questionId: 'question-1', answer: 'Blue' };
    expectUnchanged(state, (s) => answer(s, second, LATER), { why: 'no_question' });
    expectUnchanged(state, (s) => decline(s, second, LATER), { why: 'no_question' });
  });

  it('sent again under its id never answers the next question', () => {
    const state = asking();
    answer(state, { ...sent, answer: 'Red' }, NOW);
    advance(state, NOW);
    says(state, use('call-2', 'ask_user_question', { questions: [{ ...colour, question: 'And inside?' }] }));
    expectUnchanged(state, (s) => answer(s, { ...sent, answer: 'Red' }, LATER), { why: 'repeat' });
    expectUnchanged(state, (s) => decline(s, sent, LATER), { why: 'repeat' });
  });

  it('counts if it was received before the deadline, however late it is acted on', () => {
    const state = asking([colour], { timeout: '1h' });
    const inTime = { ...sent, answer: 'Red', receivedAt: NOW + HOUR - 1 };
    expect(answer(state, inTime, NOW + 5 * HOUR)).toEqual({ ok: true });
    expect(settled(state).status).toBe('answered');
  });

  it.each([
    ['received at the deadline', { receivedAt: NOW + HOUR }, NOW],
    ['received after the deadline', { receivedAt: NOW + 2 * HOUR }, NOW],
    ['with no time of receipt, when workflow time has passed it', { receivedAt: undefined }, NOW + HOUR],
    ['with a time of receipt that is no time', { receivedAt: Number.NaN }, NOW + HOUR],
    ['with text for a time of receipt', { receivedAt: '2026-01-05' }, NOW + HOUR],
  ])('is late %s', (_what, receipt, now) => {
    const state = asking([colour], { timeout: '1h' });
    const late = { ...sent, answer: 'Red', ...receipt };
    expectUnchanged(state, (s) => answer(s, late, now), { why: 'late' });
    expectUnchanged(state, (s) => decline(s, late, now), { why: 'late' });
  });

  it('is never late where there is no deadline', () => {
    const state = asking([colour], { onTimeout: 'wait' });
    expect(answer(state, { ...sent, answer: 'Red', receivedAt: NOW + 9_999 * HOUR }, NOW)).toEqual({
      ok: true,
    });
  });
});

describe('what the model hears', () => {
  const confirmed = (raw: object) => {
    const state = confirming();
    answer(state, { ...sent, ...raw }, NOW);
    return heard(state);
  };

  it('of a confirmation is true or false, with the comment', () => {
    expect(confirmed({ answer: YES })).toEqual({ confirmed: true });
    expect(confirmed({ answer: NO, comment: 'Not today.' })).toEqual({
      confirmed: false,
      comment: 'Not today.',
    });
  });

  it.each([
    [undefined, 'The user declined to answer.'],
    ['Ask Bob.', 'The user declined to answer: Ask Bob.'],
  ])('of a declined question is an error (reason: %s), and the conversation goes on', (reason, content) => {
    const state = asking();
    expect(decline(state, { ...sent, reason }, LATER)).toEqual({ ok: true });
    expect(settled(state)).toMatchObject({ status: 'declined', outcome: { by: 'ada', at: received } });
    expect(results(state)).toEqual([{ type: 'tool_result', tool_use_id: 'call-1', content, is_error: true }]);
    expect(advance(state, LATER)).toMatchObject({ do: 'think' });
  });

  it('of a question nobody answered is that, and never a no', () => {
    for (const state of [asking(), confirming()]) {
      expire(state, LATER);
      expect(settled(state)).toMatchObject({ status: 'timed_out', outcome: { at: later } });
      expect(settled(state).outcome).not.toHaveProperty('answers');
      const said = heard(state);
      expect(said).toEqual({
        outcome: 'timed_out',
        message: expect.stringContaining('neither a yes nor a no'),
      });
      expect(state.status).toBe('running');
    }
  });

  it('of a defaulted question is the default, marked as such', () => {
    const state = asking([{ ...colour, default: 'Blue' }], { onTimeout: 'default' });
    expire(state, LATER);
    expect(settled(state)).toMatchObject({
      status: 'timed_out',
      outcome: { answers: { q1: 'Blue' }, defaulted: true, at: later },
    });
    expect(heard(state)).toEqual({
      answers: { 'Which colour?': 'Blue' },
      outcome: 'timed_out',
      message: expect.stringContaining('Nobody answered'),
      defaulted: true,
    });
  });

  it('of a defaulted confirmation is false, and that nobody said so', () => {
    const state = confirming({ default: 'No' }, { policy: { onTimeout: 'default' } });
    expire(state, NOW);
    expect(heard(state)).toMatchObject({ confirmed: false, outcome: 'timed_out', defaulted: true });
  });

  it('does not include a default that the policy does not use', () => {
    const state = asking([{ ...colour, default: 'Blue' }], { onTimeout: 'continue' });
    expire(state, NOW);
    expect(heard(state)).not.toHaveProperty('answers');
  });
});

describe('a deadline', () => {
  it('ends the conversation where the policy is to fail', () => {
    const state = asking([colour], { onTimeout: 'fail' });
    expire(state, LATER);
    expect(advance(state, LATER)).toEqual({ do: 'end' });
    expect(state).toMatchObject({
      status: 'failed',
      completedAt: later,
      result: null,
      error: { code: 'question_timed_out', message: expect.stringContaining('question-1') },
    });
    expect(settled(state).status).toBe('timed_out');
  });

  it('changes nothing where no question is open', () => {
    const state = started();
    const before = copyOf(state);
    expire(state, LATER);
    expect(state).toEqual(before);
  });
});

it('gives a settled question a number of its own, after which it shows again', () => {
  const state = asking();
  const asked = state.entries.find((entry) => entry.kind === 'question');
  const seen = state.lastEntry;
  answer(state, { ...sent, answer: 'Red' }, NOW);
  const [entry] = timelineOf(state, seen).items;
  expect(entry).toMatchObject({ kind: 'question', id: asked?.id, settledId: seen + 1 });
  expect(entry).toMatchObject({ question: { status: 'answered' } });
  expect(timelineOf(state, seen + 1).items).toMatchObject([{ kind: 'status', status: 'running' }]);
});

it.each([
  ['an answer over 32 KB', (s: State) => answer(s, { answer: 'x'.repeat(33_000) }, NOW)],
  ['a comment over 32 KB', (s: State) => answer(s, { answer: 'Ada', comment: 'x'.repeat(33_000) }, NOW)],
  ['a message over 100 KB', (s: State) => hearUser(s, { text: 'x'.repeat(103_000) }, NOW)],
])('refuses %s also where it did not come through the API', (_what, move) => {
  expectUnchanged(asking([name]), move, { why: 'invalid' });
});
