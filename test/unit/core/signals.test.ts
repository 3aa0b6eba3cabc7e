import { YES } from '#core/asking';
import { answer, cancel, decline, hearUser, QUEUED_BYTES } from '#core/settling';
import { advance } from '#core/turn';
import { memoOf } from '#core/view';
import {
  asking,
  colour,
  confirming,
  copyOf,
  heard,
  NOW,
  name,
  open,
  results,
  says,
  settled,
  size,
  started,
} from '#test/support/core/given';

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
  ['a date', new Date(NOW)],
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
    ['running', started()],
    ['waiting', asking()],
  ])('neither answers nor says anything to a conversation that is %s', (_status, given) => {
    const state = structuredClone(given);
    for (const move of [answer, hearUser]) expect(move(state, raw, NOW).ok).toBe(false);
    expect(state).toEqual(given);
  });

  it('does not break a decline or a cancel, which need no content', () => {
    const state = asking();
    expect(decline(state, raw, NOW)).toEqual({ ok: true });
    expect(cancel(state, raw, NOW)).toEqual({ ok: true });
    expect(copyOf(state)).toEqual(state);
    expect(cancel(state, raw, NOW)).toEqual({ ok: false, why: 'finished' });
    for (const move of [answer, decline]) expect(move(state, raw, NOW).ok).toBe(false);
  });
});

it.each([null, 1, [], {}, true])(
  'a question named by %j is no question, and not the open one',
  (questionId) => {
    const state = asking();
    for (const move of [answer, decline]) {
      expect(move(state, { questionId, answer: 'Red' }, NOW)).toEqual({ ok: false, why: 'no_question' });
    }
  },
);

describe('a message while a question is open', () => {
  it.each([
    ['answers a single free field', [name], 'Ada', { 'What name?': 'Ada' }],
    ['answers a single choice as "other"', [colour], 'Red', { 'Which colour?': { other: 'Red' } }],
    [
      'answers a single list as "other"',
      [{ ...colour, multiSelect: true }],
      'Mauve',
      { 'Which colour?': [{ other: 'Mauve' }] },
    ],
  ])('%s', (_what, questions, text, answers) => {
    const state = asking(questions);
    expect(hearUser(state, { id: 'm-1', text, by: 'ada', via: 'http' }, NOW)).toEqual({ ok: true });
    expect(settled(state)).toMatchObject({ status: 'answered', outcome: { by: 'ada' } });
    expect(state.queued).toEqual([]);
    expect(state.verdicts).toMatchObject([{ id: 'm-1', on: 'question-1', status: 'answered' }]);
    expect(heard(state)).toEqual({ answers });
  });

  it('waits where its sender may not answer', () => {
    const state = asking([name]);
    expect(hearUser(state, { id: 'm-1', text: 'Ada', mayAnswer: false }, NOW)).toEqual({ ok: true });
    expect(open(state).status).toBe('pending');
    expect(state.queued).toEqual(['Ada']);
  });

  it.each([
    ['a question with several fields', () => asking([name, colour])],
    ['a choice without "other"', () => asking([{ ...colour, allowOther: false }])],
    ['a list without "other"', () => asking([size])],
    ['an action to confirm', () => confirming()],
  ])('waits behind %s, whatever it says', (_what, given) => {
    for (const text of [YES, 'yes', 'Red', '{"q1": "Red"}']) {
      const state = given();
      expect(hearUser(state, { id: 'm-1', text }, NOW)).toEqual({ ok: true });
      expect(open(state).status).toBe('pending');
      expect(state.queued).toEqual([text]);
      expect(state.entries.at(-1)).toMatchObject({ kind: 'message', role: 'user', text });
      expect(state.verdicts).toMatchObject([{ id: 'm-1', on: null, status: 'accepted' }]);
      expect(advance(state, NOW)).toEqual({ do: 'park' });
    }
  });

  it('never confirms an action, even where it carries an answer', () => {
    const state = confirming();
    hearUser(state, { text: YES, answer: YES, answers: { q1: YES } }, NOW);
    expect(open(state).status).toBe('pending');
  });

  it('comes after the result of the question once that is settled, word for word', () => {
    const state = confirming();
    for (const text of ['  Wait!\n', 'Please.']) hearUser(state, { text }, NOW);
    decline(state, {}, NOW);
    advance(state, NOW);
    expect(state.transcript.at(-1)?.content).toEqual([
      expect.objectContaining({ type: 'tool_result', tool_use_id: 'call-1' }),
      { type: 'text', text: '  Wait!\n' },
      { type: 'text', text: 'Please.' },
    ]);
    expect(state.queued).toEqual([]);
  });

  it('that comes after the deadline does not answer: it waits', () => {
    const state = asking([name], { timeout: '1s' });
    expect(hearUser(state, { text: 'Ada', receivedAt: NOW + 1_000 }, NOW)).toEqual({ ok: true });
    expect(open(state).status).toBe('pending');
    expect(state.queued).toEqual(['Ada']);
  });

  it('sent again under its id is heard once', () => {
    const state = confirming();
    hearUser(state, { id: 'm-1', text: 'Wait!' }, NOW);
    expect(hearUser(state, { id: 'm-1', text: 'Wait!' }, NOW)).toEqual({ ok: false, why: 'repeat' });
    expect(state.queued).toEqual(['Wait!']);
    hearUser(state, { text: 'Wait!' }, NOW);
    expect(state.queued).toEqual(['Wait!', 'Wait!']);
  });

  it('is never dropped once Temporal has taken it, and the API can see how much waits', () => {
    const state = confirming();
    const text = 'é'.repeat(50_000);
    for (let n = 0; n < 10; n += 1) expect(hearUser(state, { text }, NOW)).toEqual({ ok: true });
    expect(state.queued).toHaveLength(10);
    expect(memoOf(state).queuedBytes).toBe(1_000_000);
    expect(memoOf(state).queuedBytes).toBeGreaterThan(QUEUED_BYTES);
  });
});

describe('a cancel', () => {
  it('settles the open question, ends the conversation and says why', () => {
    const state = asking();
    expect(cancel(state, { id: 'x-1', reason: 'Sold the shed.', by: 'ada', via: 'http' }, NOW)).toEqual({
      ok: true,
    });
    expect(advance(state, NOW)).toEqual({ do: 'end' });
    expect(state).toMatchObject({
      status: 'cancelled',
      question: null,
      result: null,
      error: { code: 'cancelled', message: expect.stringContaining('Sold the shed.') },
      verdicts: [{ id: 'x-1', on: 'question-1', status: 'cancelled', by: 'ada' }],
    });
    expect(settled(state)).toMatchObject({
      status: 'cancelled',
      outcome: { by: 'ada', comment: 'Sold the shed.' },
    });
    expect(results(state)).toMatchObject([{ tool_use_id: 'call-1', is_error: true }]);
  });

  it('with no question open has a verdict of its own', () => {
    const state = started();
    cancel(state, { id: 'x-1' }, NOW);
    expect(state.verdicts).toMatchObject([{ id: 'x-1', on: null, status: 'cancelled' }]);
  });

  it('keeps what the user had said, and is not undone by it', () => {
    const state = confirming();
    hearUser(state, { text: 'Wait!' }, NOW);
    cancel(state, {}, NOW);
    expect(advance(state, NOW)).toEqual({ do: 'end' });
    expect(state.status).toBe('cancelled');
    expect(state.transcript.at(-1)?.content.at(-1)).toEqual({ type: 'text', text: 'Wait!' });
  });

  it('sent again under its id does not cancel what was taken up since', () => {
    const state = started();
    cancel(state, { id: 'x-1' }, NOW);
    hearUser(state, { id: 'm-1', text: 'Go on after all.' }, NOW);
    advance(state, NOW);
    says(state, 'Done.');
    hearUser(state, { id: 'm-2', text: 'And the door?' }, NOW);
    advance(state, NOW);
    expect(cancel(state, { id: 'x-1' }, NOW)).toEqual({ ok: false, why: 'repeat' });
    expect(state.status).toBe('running');
  });

  it('has a verdict that is not mistaken for that of the message before it', () => {
    const state = started();
    hearUser(state, { text: 'Wait!' }, NOW);
    cancel(state, {}, NOW);
    const ids = state.verdicts.map((verdict) => verdict.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
