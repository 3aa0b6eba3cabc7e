import { findPersonNameByEmail, findPersonNameBySlackUser } from '#channels/people';
import { advance } from '#core/conversation/advance';
import { applyLinkRevocation } from '#core/conversation/messages';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import {
  channelName,
  channelTarget,
  findCopyAt,
  rememberCopy,
  startDueNotifications,
  takeSettledCopies,
} from '#core/questions/notifications';
import { applyAnswer } from '#core/questions/resolve';
import { planCallbackNotification } from '#core/questions/schedule';
import {
  colourQuestion,
  modelSays,
  START_TIME,
  startedConversation,
  testAgent,
  toolUse,
} from '#test/support/core/conversation-fixture';

function asking(notify: string[] = [], callbackUrl = 'https://hooks.example.com'): ConversationState {
  const state = startedConversation({ agent: testAgent({ notify }), callbackUrl });
  modelSays(state, toolUse('t1', 'ask_user_question', { questions: [colourQuestion] }));
  return state;
}
const copy = (number: number, channel: string) => ({ number, channel, ref: { ts: String(number) } });

describe('a destination', () => {
  it.each([
    ['slack:#ops', 'slack', '#ops'],
    ['webhook:https://a.example/x:1', 'webhook', 'https://a.example/x:1'],
    ['inbox', 'inbox', ''],
  ])('is a channel and a target: %s', (destination, channel, place) => {
    expect([channelName(destination), channelTarget(destination)]).toEqual([channel, place]);
  });
});

describe('the callback', () => {
  it('is notified of every question, first and once', () => {
    const state = asking(['slack:#ops']);
    planCallbackNotification(state);
    planCallbackNotification(state);
    expect(
      startDueNotifications(state, START_TIME).map(({ number, channel, what }) => [number, channel, what]),
    ).toEqual([
      [1, 'webhook', 'asked'],
      [0, 'slack:#ops', 'asked'],
    ]);
  });

  it('is not notified twice if the policy lists it, too', () => {
    const state = asking(['webhook', 'slack:#ops']);
    planCallbackNotification(state);
    expect(startDueNotifications(state, START_TIME).map(({ channel }) => channel)).toEqual(['webhook', 'slack:#ops']);
  });
});

describe('the copies of a question', () => {
  it('are stored until it closes, and then returned once, reminders excluded', () => {
    const state = asking();
    rememberCopy(state, 'question-1', copy(0, 'slack:#ops'));
    rememberCopy(state, 'question-1', { ...copy(0, 'slack:#ops'), number: 1 });
    rememberCopy(state, 'question-1', copy(2, 'email:a@example.com'));
    rememberCopy(state, 'question-1', copy(3, 'slack:#ops'));
    expect(takeSettledCopies(state)).toBeUndefined();
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    expect(takeSettledCopies(state)).toMatchObject({
      question: { id: 'question-1', status: 'answered' },
      copies: [copy(0, 'slack:#ops'), copy(2, 'email:a@example.com'), copy(3, 'slack:#ops')],
    });
    expect(takeSettledCopies(state)).toBeUndefined();
  });

  it('give a reminder the newest copy that certainly exists', () => {
    const state = asking();
    expect(findCopyAt(state, 'question-1', 'slack:#ops')).toBeUndefined();
    rememberCopy(state, 'question-1', copy(0, 'slack:#ops'));
    rememberCopy(state, 'question-1', copy(1, 'slack:#ops'));
    rememberCopy(state, 'question-1', { number: 2, channel: 'slack:#ops', ref: {} });
    expect(findCopyAt(state, 'question-1', 'slack:#ops')?.number).toBe(1);
    expect(findCopyAt(state, 'question-1', 'slack:#dev')).toBeUndefined();
    expect(findCopyAt(state, 'question-2', 'slack:#ops')).toBeUndefined();
  });
});

describe('links to a question', () => {
  it('are revoked for one person or for everyone, and the memo shows it', () => {
    const state = asking();
    expect(applyLinkRevocation(state, { id: 'a', questionId: 'question-1', person: 'joe' }, START_TIME).ok).toBe(true);
    expect(applyLinkRevocation(state, { id: 'b', person: 'ann' }, START_TIME).ok).toBe(true);
    expect(buildMemo(state).revokedLinks).toEqual({ 'question-1': ['joe', 'ann'] });
    expect(applyLinkRevocation(state, { id: 'c' }, START_TIME).ok).toBe(true);
    expect(buildMemo(state).revokedLinks?.['question-1']).toContain('*');
    expect(state.question?.status).toBe('pending');
  });

  it('stay revoked when those of a later question are', () => {
    const state = asking();
    applyLinkRevocation(state, { id: 'a', person: 'joe' }, START_TIME);
    for (let n = 2; n <= 7; n += 1) {
      applyAnswer(state, { answer: 'Red' }, START_TIME);
      advance(state, START_TIME);
      modelSays(state, toolUse(`t${n}`, 'ask_user_question', { questions: [colourQuestion] }));
      if (n === 3) expect(Object.keys(state.revokedLinks ?? {})).toEqual(['question-1', 'question-2']);
      applyLinkRevocation(state, { id: `r${n}`, person: 'ann' }, START_TIME);
    }
    expect(Object.keys(state.revokedLinks ?? {})).toHaveLength(5);
  });

  it.each([
    [{ id: 'a', questionId: 'question-9' }, 'no_question'],
    [{ id: 'done', person: 'x' }, 'repeat'],
  ])('stay valid if the request is not for the open question, or a repeat: %j', (raw, why) => {
    const state = asking();
    applyLinkRevocation(state, { id: 'done', person: 'x' }, START_TIME);
    expect(applyLinkRevocation(state, raw, START_TIME)).toEqual({ ok: false, reason: why });
    expect(state.revokedLinks).toEqual({ 'question-1': ['x'] });
  });

  it.each([null, 7, 'x', [], { person: 7 }, { questionId: {} }])('survive any signal without throwing: %j', (raw) => {
    expect(() => applyLinkRevocation(asking(), raw, START_TIME)).not.toThrow();
  });

  it('are all revoked once there are too many names to store', () => {
    const state = asking();
    for (let n = 0; n < 30; n += 1) applyLinkRevocation(state, { id: `r${n}`, person: `p${n}` }, START_TIME);
    expect(state.revokedLinks?.['question-1']).toContain('*');
    expect(state.revokedLinks?.['question-1']?.length).toBeLessThanOrEqual(10);
  });
});

describe('a person', () => {
  const people = [{ name: 'maria', emails: ['maria@example.com'], slack: [{ team: 'T1', user: 'U1' }] }];

  it('is found by address in any case, and an unknown address stands for itself', () => {
    expect(findPersonNameByEmail(people, 'Maria@Example.com')).toBe('maria');
    expect(findPersonNameByEmail(people, 'Joe@example.com')).toBe('joe@example.com');
  });

  it('is found in Slack by team and user together', () => {
    expect(findPersonNameBySlackUser(people, 'T1', 'U1')).toBe('maria');
    expect(findPersonNameBySlackUser(people, 'T2', 'U1')).toBeUndefined();
  });
});
