import { copyAt, keepCopy, takeSettled } from '#core/copies';
import { channelOf, placeOn } from '#core/destination';
import { beginNotices } from '#core/notices';
import { personByEmail, personBySlack } from '#core/people';
import { planCallback } from '#core/schedule';
import { answer, revoke } from '#core/settling';
import type { State } from '#core/state';
import { advance } from '#core/turn';
import { memoOf } from '#core/view';
import { agent, colour, NOW, says, started, use } from '#test/support/core/given';

function asking(notify: string[] = [], callbackUrl = 'https://hooks.example.com'): State {
  const state = started({ agent: agent({ notify }), callbackUrl });
  says(state, use('t1', 'ask_user_question', { questions: [colour] }));
  return state;
}
const copy = (number: number, channel: string) => ({ number, channel, ref: { ts: String(number) } });

describe('a destination', () => {
  it.each([
    ['slack:#ops', 'slack', '#ops'],
    ['webhook:https://a.example/x:1', 'webhook', 'https://a.example/x:1'],
    ['inbox', 'inbox', ''],
  ])('is a channel and a place on it: %s', (destination, channel, place) => {
    expect([channelOf(destination), placeOn(destination)]).toEqual([channel, place]);
  });
});

describe('the callback', () => {
  it('hears of every question, first of all and once', () => {
    const state = asking(['slack:#ops']);
    planCallback(state);
    planCallback(state);
    expect(beginNotices(state, NOW).map(({ number, channel, what }) => [number, channel, what])).toEqual([
      [1, 'webhook', 'asked'],
      [0, 'slack:#ops', 'asked'],
    ]);
  });

  it('does not hear twice where the policy names it, too', () => {
    const state = asking(['webhook', 'slack:#ops']);
    planCallback(state);
    expect(beginNotices(state, NOW).map(({ channel }) => channel)).toEqual(['webhook', 'slack:#ops']);
  });
});

describe('the copies of a question', () => {
  it('are kept until it is settled, and then given out once, a reminder being no other', () => {
    const state = asking();
    keepCopy(state, 'question-1', copy(0, 'slack:#ops'));
    keepCopy(state, 'question-1', { ...copy(0, 'slack:#ops'), number: 1 });
    keepCopy(state, 'question-1', copy(2, 'email:a@example.com'));
    keepCopy(state, 'question-1', copy(3, 'slack:#ops'));
    expect(takeSettled(state)).toBeUndefined();
    answer(state, { answer: 'Red' }, NOW);
    expect(takeSettled(state)).toMatchObject({
      question: { id: 'question-1', status: 'answered' },
      copies: [copy(0, 'slack:#ops'), copy(2, 'email:a@example.com'), copy(3, 'slack:#ops')],
    });
    expect(takeSettled(state)).toBeUndefined();
  });

  it('tell a reminder where the newest one is that is sure to be there', () => {
    const state = asking();
    expect(copyAt(state, 'question-1', 'slack:#ops')).toBeUndefined();
    keepCopy(state, 'question-1', copy(0, 'slack:#ops'));
    keepCopy(state, 'question-1', copy(1, 'slack:#ops'));
    keepCopy(state, 'question-1', { number: 2, channel: 'slack:#ops', ref: {} });
    expect(copyAt(state, 'question-1', 'slack:#ops')?.number).toBe(1);
    expect(copyAt(state, 'question-1', 'slack:#dev')).toBeUndefined();
    expect(copyAt(state, 'question-2', 'slack:#ops')).toBeUndefined();
  });
});

describe('links to a question', () => {
  it("are taken back one person's at a time, or everybody's, and the memo shows it", () => {
    const state = asking();
    expect(revoke(state, { id: 'a', questionId: 'question-1', person: 'joe' }, NOW).ok).toBe(true);
    expect(revoke(state, { id: 'b', person: 'ann' }, NOW).ok).toBe(true);
    expect(memoOf(state).revoked).toEqual({ 'question-1': ['joe', 'ann'] });
    expect(revoke(state, { id: 'c' }, NOW).ok).toBe(true);
    expect(memoOf(state).revoked?.['question-1']).toContain('*');
    expect(state.question?.status).toBe('pending');
  });

  it('stay taken back when those of a later question are', () => {
    const state = asking();
    revoke(state, { id: 'a', person: 'joe' }, NOW);
    for (let n = 2; n <= 7; n += 1) {
      answer(state, { answer: 'Red' }, NOW);
      advance(state, NOW);
      says(state, use(`t${n}`, 'ask_user_question', { questions: [colour] }));
      if (n === 3) expect(Object.keys(state.revoked ?? {})).toEqual(['question-1', 'question-2']);
      revoke(state, { id: `r${n}`, person: 'ann' }, NOW);
    }
    expect(Object.keys(state.revoked ?? {})).toHaveLength(5);
  });

  it.each([
    [{ id: 'a', questionId: 'question-9' }, 'no_question'],
    [{ id: 'done', person: 'x' }, 'repeat'],
  ])('stay where that is not for the open question, or a repeat: %j', (raw, why) => {
    const state = asking();
    revoke(state, { id: 'done', person: 'x' }, NOW);
    expect(revoke(state, raw, NOW)).toEqual({ ok: false, why });
    expect(state.revoked).toEqual({ 'question-1': ['x'] });
  });

  it.each([null, 7, 'x', [], { person: 7 }, { questionId: {} }])(
    'take any signal without throwing: %j',
    (raw) => {
      expect(() => revoke(asking(), raw, NOW)).not.toThrow();
    },
  );

  it('are all taken back once there are too many names to keep', () => {
    const state = asking();
    for (let n = 0; n < 30; n += 1) revoke(state, { id: `r${n}`, person: `p${n}` }, NOW);
    expect(state.revoked?.['question-1']).toContain('*');
    expect(state.revoked?.['question-1']?.length).toBeLessThanOrEqual(10);
  });
});

describe('a person', () => {
  const people = [{ name: 'maria', emails: ['maria@example.com'], slack: [{ team: 'T1', user: 'U1' }] }];

  it('is found by address, whatever its case, and an address nobody has stands for itself', () => {
    expect(personByEmail(people, 'Maria@Example.com')).toBe('maria');
    expect(personByEmail(people, 'Joe@example.com')).toBe('joe@example.com');
  });

  it('is found in Slack by team and user together', () => {
    expect(personBySlack(people, 'T1', 'U1')).toBe('maria');
    expect(personBySlack(people, 'T2', 'U1')).toBeUndefined();
  });
});
