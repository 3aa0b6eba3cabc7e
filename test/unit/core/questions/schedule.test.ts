import type { ConversationState } from '#core/conversation/state';
import {
  dropNotification,
  recordNotification,
  resumeNotifications,
  startDueNotifications,
} from '#core/questions/notifications';
import { applyAnswer } from '#core/questions/resolve';
import { dueNotifications, nextWakeUp, planDeadline } from '#core/questions/schedule';
import { selectTimeline } from '#core/timeline';
import {
  askingConversation,
  colourQuestion,
  confirmingConversation,
  nameQuestion,
  ONE_HOUR,
  pendingQuestion,
  resolvedQuestion,
  START_TIME,
  startedConversation,
  testAgent,
} from '#test/support/core/conversation-fixture';

describe('the policy of a question', () => {
  const at = (ms: number) => new Date(START_TIME + ms).toISOString();
  const by = (questions: object, policy: object = {}) => startedConversation({ agent: testAgent(questions), policy });

  it.each([
    ['24 h and continue by default', by({}), {}, true, at(24 * ONE_HOUR), 'continue'],
    ["the agent's", by({ timeout: ONE_HOUR, onTimeout: 'fail' }), {}, true, at(ONE_HOUR), 'fail'],
    [
      "the start request's before the agent's",
      by({ timeout: ONE_HOUR, onTimeout: 'fail' }, { timeout: 2 * ONE_HOUR, onTimeout: 'continue' }),
      {},
      true,
      at(2 * ONE_HOUR),
      'continue',
    ],
    [
      "the call's before the start request's",
      by({ timeout: ONE_HOUR }, { timeout: 2 * ONE_HOUR, onTimeout: 'fail' }),
      { timeout: 3 * ONE_HOUR, onTimeout: 'default' as const },
      true,
      at(3 * ONE_HOUR),
      'default',
    ],
    ['each part separately', by({ onTimeout: 'fail' }, { timeout: 2 * ONE_HOUR }), {}, true, at(2 * ONE_HOUR), 'fail'],
    ['continue if no default is set', by({ onTimeout: 'default' }), {}, false, at(24 * ONE_HOUR), 'continue'],
    ['no deadline with wait', by({}), { timeout: ONE_HOUR, onTimeout: 'wait' as const }, true, null, 'wait'],
    ['no deadline with never', by({ onTimeout: 'fail' }), { timeout: null }, true, null, 'fail'],
    [
      "the call's deadline before the start request's never",
      by({}, { timeout: null }),
      { timeout: ONE_HOUR },
      true,
      at(ONE_HOUR),
      'continue',
    ],
    ["the start request's never before the agent's deadline", by({}, { timeout: null }), {}, true, null, 'continue'],
  ])('is %s', (_what, state, call, hasDefaults, expiresAt, onTimeout) => {
    expect(planDeadline(state, call, hasDefaults, START_TIME)).toEqual({ expiresAt, onTimeout });
  });

  it('falls back to continue if one of several fields has no default', () => {
    const both = [{ ...colourQuestion, default: 'Red' }, nameQuestion];
    expect(pendingQuestion(askingConversation(both, { onTimeout: 'default' })).onTimeout).toBe('continue');
  });

  it('applies to approvals: without a default, none is used', () => {
    const start = { policy: { timeout: ONE_HOUR, onTimeout: 'default' as const } };
    expect(pendingQuestion(confirmingConversation({}, start))).toMatchObject({
      onTimeout: 'continue',
      expiresAt: at(ONE_HOUR),
    });
    expect(pendingQuestion(confirmingConversation({ default: 'No' }, start))).toMatchObject({
      onTimeout: 'default',
    });
  });
});

const DAY = 24 * ONE_HOUR;
const at = (ms: number) => new Date(START_TIME + ms).toISOString();
const planned = (questions: object, call: object = {}, policy: object = {}) =>
  askingConversation([colourQuestion], call, { agent: testAgent(questions), policy }).notificationPlan ?? [];
const times = (notices: { at: string; what: string }[]) =>
  notices.map((notice) => [(Date.parse(notice.at) - START_TIME) / ONE_HOUR, notice.what]);

describe('the planned notifications of a question', () => {
  const maria = { after: 2 * DAY, to: ['maria'] };

  it('are none by default', () => {
    expect(planned({})).toEqual([]);
  });

  it('are sorted by time, and numbered', () => {
    const notices = planned({ timeout: 3 * DAY, remind: [4 * ONE_HOUR, DAY], escalate: [maria] });
    expect(times(notices)).toEqual([
      [4, 'reminder 1 of 2'],
      [24, 'reminder 2 of 2'],
      [48, 'escalated to maria'],
    ]);
    expect(notices.map(({ number }) => number)).toEqual([0, 1, 2]);
    expect(notices.map(({ channel }) => channel)).toEqual(['log', 'log', 'log']);
    expect(notices[2]?.to).toEqual(['maria']);
  });

  it('mix: an escalation may come before a reminder', () => {
    const early = { after: 2 * ONE_HOUR, to: ['sam'] };
    expect(times(planned({ timeout: 3 * DAY, remind: [ONE_HOUR, DAY], escalate: [maria, early] }))).toEqual([
      [1, 'reminder 1 of 2'],
      [2, 'escalated to sam'],
      [24, 'reminder 2 of 2'],
      [48, 'escalated to maria'],
    ]);
  });

  it('start with the question itself if the agent lists channels, one for each', () => {
    const notices = planned({ timeout: DAY, remind: [ONE_HOUR], notify: ['log', 'pager'] });
    expect(notices.map(({ number, what, channel }) => [number, what, channel])).toEqual([
      [0, 'asked', 'log'],
      [1, 'asked', 'pager'],
      [2, 'reminder 1 of 1', 'log'],
      [3, 'reminder 1 of 1', 'pager'],
    ]);
  });

  it('follow the destinations of the escalation step before those of the agent', () => {
    const notices = planned({
      timeout: 3 * DAY,
      notify: ['log'],
      escalate: [{ ...maria, notify: ['pager'] }],
    });
    expect(notices.map(({ what, channel }) => [what, channel])).toEqual([
      ['asked', 'log'],
      ['escalated to maria', 'pager'],
    ]);
  });

  it('exclude those at or after the deadline, and are numbered without them', () => {
    expect(times(planned({ timeout: DAY, remind: [ONE_HOUR, DAY, 2 * DAY], escalate: [maria] }))).toEqual([
      [1, 'reminder 1 of 1'],
    ]);
    expect(times(planned({ timeout: DAY, onTimeout: 'wait', remind: [2 * DAY] }))).toEqual([[48, 'reminder 1 of 1']]);
  });

  it('come from the call before the start request, and from that before the agent', () => {
    const own = { remind: [ONE_HOUR], timeout: 3 * DAY, escalate: [maria] };
    expect(times(planned(own, { remind: ['2h'] }, { remind: [3 * ONE_HOUR] }))[0]?.[0]).toBe(2);
    expect(times(planned(own, {}, { remind: [3 * ONE_HOUR], escalate: [] }))).toEqual([[3, 'reminder 1 of 1']]);
  });

  it('apply to approvals, too', () => {
    const state = confirmingConversation({}, { agent: testAgent({ remind: [ONE_HOUR] }) });
    expect(times(state.notificationPlan ?? [])).toEqual([[1, 'reminder 1 of 1']]);
  });
});

describe('the next wake-up', () => {
  it('is the next notification, then the deadline', () => {
    const state = askingConversation(
      [colourQuestion],
      { timeout: '1h' },
      { agent: testAgent({ remind: [ONE_HOUR / 2] }) },
    );
    expect(nextWakeUp(state)).toEqual({ at: START_TIME + ONE_HOUR / 2, what: 'Reminder 1 of 1' });
    startDueNotifications(state, START_TIME + ONE_HOUR / 2);
    expect(nextWakeUp(state)).toEqual({ at: START_TIME + ONE_HOUR, what: 'Deadline' });
  });

  it('is none if nothing will happen by itself', () => {
    expect(nextWakeUp(askingConversation([colourQuestion], { timeout: 'never' }))).toBeUndefined();
    expect(nextWakeUp(startedConversation())).toBeUndefined();
  });
});

describe('what is due', () => {
  const waiting = () =>
    askingConversation(
      [colourQuestion],
      { timeout: '3d' },
      {
        agent: testAgent({
          remind: [ONE_HOUR, 2 * ONE_HOUR],
          escalate: [{ after: DAY, to: ['maria', 'sam'] }],
        }),
      },
    );
  const whats = (state: ConversationState, ms: number) =>
    dueNotifications(state, START_TIME + ms).map(({ what }) => what);

  it('is nothing before its time, to the millisecond', () => {
    expect(whats(waiting(), ONE_HOUR - 1)).toEqual([]);
    expect(whats(waiting(), ONE_HOUR)).toEqual(['reminder 1 of 2']);
  });

  it('is the last of several overdue reminders, and every escalation', () => {
    expect(whats(waiting(), 3 * ONE_HOUR)).toEqual(['reminder 2 of 2']);
    expect(whats(waiting(), DAY)).toEqual(['reminder 2 of 2', 'escalated to maria, sam']);
  });

  it('is started once, and overdue reminders are never sent later', () => {
    const state = waiting();
    expect(startDueNotifications(state, START_TIME + 3 * ONE_HOUR).map(({ what }) => what)).toEqual([
      'reminder 2 of 2',
    ]);
    expect(startDueNotifications(state, START_TIME + 4 * ONE_HOUR)).toEqual([]);
    expect(nextWakeUp(state)?.at).toBe(START_TIME + DAY);
  });

  it('is started again by a new run, with the same number, marked as a possible duplicate', () => {
    const state = waiting();
    const [sent] = startDueNotifications(state, START_TIME + ONE_HOUR);
    resumeNotifications(state);
    expect(startDueNotifications(state, START_TIME + ONE_HOUR)).toEqual([{ ...sent, maybeSent: true }]);
  });

  it('is nothing once the deadline has passed, or the question is closed', () => {
    expect(whats(waiting(), 3 * DAY)).toEqual([]);
    const state = waiting();
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    expect(whats(state, DAY)).toEqual([]);
    expect(state.notificationPlan).toEqual([]);
  });

  it('lets people it is escalated to answer, and no one before', () => {
    const state = waiting();
    startDueNotifications(state, START_TIME + 2 * ONE_HOUR);
    expect(state.access.assignees).toEqual([]);
    startDueNotifications(state, START_TIME + DAY);
    expect(state.access.assignees).toEqual(['maria', 'sam']);
  });
});

it('an escalation to too many people says that they got no access', () => {
  const many = Array.from({ length: 50 }, (_, n) => `${n}-${'x'.repeat(34)}`);
  const escalate = [{ after: ONE_HOUR, to: ['y'.repeat(100)] }];
  const access = { assignees: many };
  const state = askingConversation([colourQuestion], {}, { agent: testAgent({ escalate }), access });
  expect(startDueNotifications(state, START_TIME + ONE_HOUR)[0]?.what).toMatch(/^escalated to y+: access not granted/);
  expect(state.access.assignees).toEqual(many);
});

describe('a notification that was sent', () => {
  const sent = () => {
    const state = askingConversation([colourQuestion], {}, { agent: testAgent({ remind: [ONE_HOUR] }) });
    const [notice] = startDueNotifications(state, START_TIME + ONE_HOUR);
    if (!notice) throw new Error('nothing was due');
    return { state, notice };
  };
  const shown = { at: at(ONE_HOUR + 5), channel: 'log', what: 'reminder 1 of 1' };

  it('is in the question and the timeline, and no longer planned', () => {
    const { state, notice } = sent();
    recordNotification(state, 'question-1', notice, undefined, START_TIME + ONE_HOUR + 5);
    expect(pendingQuestion(state).notices).toEqual([shown]);
    const entries = selectTimeline(state).items;
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'question', question: pendingQuestion(state) }));
    expect(entries.at(-1)).toMatchObject({
      kind: 'notice',
      channel: 'log',
      what: 'question-1: reminder 1 of 1',
    });
    expect(state.notificationPlan).toEqual([]);
  });

  it('is in the question even if that closed in the meantime', () => {
    const { state, notice } = sent();
    applyAnswer(state, { answer: 'Red' }, START_TIME + ONE_HOUR);
    recordNotification(state, 'question-1', notice, undefined, START_TIME + ONE_HOUR + 5);
    expect(resolvedQuestion(state).notices).toEqual([shown]);
  });

  it('says so if it could not be sent', () => {
    const { state, notice } = sent();
    recordNotification(state, 'question-1', notice, 'nobody there', START_TIME + ONE_HOUR);
    expect(pendingQuestion(state).notices[0]?.what).toBe('reminder 1 of 1: could not be sent: nobody there');
  });

  it('is dropped if it was no longer needed', () => {
    const { state, notice } = sent();
    dropNotification(state, 'question-1', notice.number);
    expect(state.notificationPlan).toEqual([]);
    expect(pendingQuestion(state).notices).toEqual([]);
  });
});
