import { beginNotices, forgetNotice, recordNotice, resumeNotices } from '#core/notices';
import { dueNotices, nextWake, planFor } from '#core/schedule';
import { answer } from '#core/settling';
import type { State } from '#core/state';
import { timelineOf } from '#core/view';
import {
  agent,
  asking,
  colour,
  confirming,
  HOUR,
  NOW,
  name,
  open,
  settled,
  started,
} from '#test/support/core/given';

describe('the policy of a question', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  const by = (questions: object, policy: object = {}) => started({ agent: agent(questions), policy });

  it.each([
    ['24 h and continue where nobody says', by({}), {}, true, at(24 * HOUR), 'continue'],
    ["the agent's", by({ timeout: HOUR, onTimeout: 'fail' }), {}, true, at(HOUR), 'fail'],
    [
      "the start's before the agent's",
      by({ timeout: HOUR, onTimeout: 'fail' }, { timeout: 2 * HOUR, onTimeout: 'continue' }),
      {},
      true,
      at(2 * HOUR),
      'continue',
    ],
    [
      "the call's before the start's",
      by({ timeout: HOUR }, { timeout: 2 * HOUR, onTimeout: 'fail' }),
      { timeout: 3 * HOUR, onTimeout: 'default' as const },
      true,
      at(3 * HOUR),
      'default',
    ],
    ['each part by itself', by({ onTimeout: 'fail' }, { timeout: 2 * HOUR }), {}, true, at(2 * HOUR), 'fail'],
    [
      'continue in place of a default nobody gave',
      by({ onTimeout: 'default' }),
      {},
      false,
      at(24 * HOUR),
      'continue',
    ],
    ['no deadline with wait', by({}), { timeout: HOUR, onTimeout: 'wait' as const }, true, null, 'wait'],
    ['no deadline with never', by({ onTimeout: 'fail' }), { timeout: null }, true, null, 'fail'],
    [
      "the call's deadline before the start's never",
      by({}, { timeout: null }),
      { timeout: HOUR },
      true,
      at(HOUR),
      'continue',
    ],
    ["the start's never before the agent's deadline", by({}, { timeout: null }), {}, true, null, 'continue'],
  ])('is %s', (_what, state, call, hasDefaults, expiresAt, onTimeout) => {
    expect(planFor(state, call, hasDefaults, NOW)).toEqual({ expiresAt, onTimeout });
  });

  it('falls back to continue where one field of several has no default', () => {
    const both = [{ ...colour, default: 'Red' }, name];
    expect(open(asking(both, { onTimeout: 'default' })).onTimeout).toBe('continue');
  });

  it('holds for confirmations: no default named, no default taken', () => {
    const start = { policy: { timeout: HOUR, onTimeout: 'default' as const } };
    expect(open(confirming({}, start))).toMatchObject({ onTimeout: 'continue', expiresAt: at(HOUR) });
    expect(open(confirming({ default: 'No' }, start))).toMatchObject({ onTimeout: 'default' });
  });
});

const DAY = 24 * HOUR;
const at = (ms: number) => new Date(NOW + ms).toISOString();
const planned = (questions: object, call: object = {}, policy: object = {}) =>
  asking([colour], call, { agent: agent(questions), policy }).plan ?? [];
const times = (notices: { at: string; what: string }[]) =>
  notices.map((notice) => [(Date.parse(notice.at) - NOW) / HOUR, notice.what]);

describe('the notices of a question', () => {
  const maria = { after: 2 * DAY, to: ['maria'] };

  it('are none where nobody asked for any', () => {
    expect(planned({})).toEqual([]);
  });

  it('come in order of time, each with a number of its own', () => {
    const notices = planned({ timeout: 3 * DAY, remind: [4 * HOUR, DAY], escalate: [maria] });
    expect(times(notices)).toEqual([
      [4, 'reminder 1 of 2'],
      [24, 'reminder 2 of 2'],
      [48, 'escalated to maria'],
    ]);
    expect(notices.map(({ number }) => number)).toEqual([0, 1, 2]);
    expect(notices.map(({ channel }) => channel)).toEqual(['log', 'log', 'log']);
    expect(notices[2]?.to).toEqual(['maria']);
  });

  it('mingle: an escalation may come before a reminder', () => {
    const early = { after: 2 * HOUR, to: ['sam'] };
    expect(times(planned({ timeout: 3 * DAY, remind: [HOUR, DAY], escalate: [maria, early] }))).toEqual([
      [1, 'reminder 1 of 2'],
      [2, 'escalated to sam'],
      [24, 'reminder 2 of 2'],
      [48, 'escalated to maria'],
    ]);
  });

  it('begin with the asking itself where the agent names channels, and go to each of them', () => {
    const notices = planned({ timeout: DAY, remind: [HOUR], notify: ['log', 'pager'] });
    expect(notices.map(({ number, what, channel }) => [number, what, channel])).toEqual([
      [0, 'asked', 'log'],
      [1, 'asked', 'pager'],
      [2, 'reminder 1 of 1', 'log'],
      [3, 'reminder 1 of 1', 'pager'],
    ]);
  });

  it('go where the step of the escalation says, before where the agent says', () => {
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

  it('are left out at and after the deadline, and are counted without', () => {
    expect(times(planned({ timeout: DAY, remind: [HOUR, DAY, 2 * DAY], escalate: [maria] }))).toEqual([
      [1, 'reminder 1 of 1'],
    ]);
    expect(times(planned({ timeout: DAY, onTimeout: 'wait', remind: [2 * DAY] }))).toEqual([
      [48, 'reminder 1 of 1'],
    ]);
  });

  it("are the call's before the start's, and the start's before the agent's", () => {
    const own = { remind: [HOUR], timeout: 3 * DAY, escalate: [maria] };
    expect(times(planned(own, { remind: ['2h'] }, { remind: [3 * HOUR] }))[0]?.[0]).toBe(2);
    expect(times(planned(own, {}, { remind: [3 * HOUR], escalate: [] }))).toEqual([[3, 'reminder 1 of 1']]);
  });

  it('hold for confirmations as well', () => {
    const state = confirming({}, { agent: agent({ remind: [HOUR] }) });
    expect(times(state.plan ?? [])).toEqual([[1, 'reminder 1 of 1']]);
  });
});

describe('the next wake', () => {
  it('is the next notice, then the deadline', () => {
    const state = asking([colour], { timeout: '1h' }, { agent: agent({ remind: [HOUR / 2] }) });
    expect(nextWake(state)).toEqual({ at: NOW + HOUR / 2, what: 'Reminder 1 of 1' });
    beginNotices(state, NOW + HOUR / 2);
    expect(nextWake(state)).toEqual({ at: NOW + HOUR, what: 'Deadline' });
  });

  it('is none where nothing will happen by itself', () => {
    expect(nextWake(asking([colour], { timeout: 'never' }))).toBeUndefined();
    expect(nextWake(started())).toBeUndefined();
  });
});

describe('what is due', () => {
  const waiting = () =>
    asking(
      [colour],
      { timeout: '3d' },
      {
        agent: agent({ remind: [HOUR, 2 * HOUR], escalate: [{ after: DAY, to: ['maria', 'sam'] }] }),
      },
    );
  const whats = (state: State, ms: number) => dueNotices(state, NOW + ms).map(({ what }) => what);

  it('is nothing before its time, and due to the millisecond', () => {
    expect(whats(waiting(), HOUR - 1)).toEqual([]);
    expect(whats(waiting(), HOUR)).toEqual(['reminder 1 of 2']);
  });

  it('is the last of the reminders that were slept through, and every escalation', () => {
    expect(whats(waiting(), 3 * HOUR)).toEqual(['reminder 2 of 2']);
    expect(whats(waiting(), DAY)).toEqual(['reminder 2 of 2', 'escalated to maria, sam']);
  });

  it('is begun once, and what was slept through is never made up for', () => {
    const state = waiting();
    expect(beginNotices(state, NOW + 3 * HOUR).map(({ what }) => what)).toEqual(['reminder 2 of 2']);
    expect(beginNotices(state, NOW + 4 * HOUR)).toEqual([]);
    expect(nextWake(state)?.at).toBe(NOW + DAY);
  });

  it('is begun again by a new run, under the same number, and said to be', () => {
    const state = waiting();
    const [sent] = beginNotices(state, NOW + HOUR);
    resumeNotices(state);
    expect(beginNotices(state, NOW + HOUR)).toEqual([{ ...sent, again: true }]);
  });

  it('is nothing once the deadline has passed, or the question is settled', () => {
    expect(whats(waiting(), 3 * DAY)).toEqual([]);
    const state = waiting();
    answer(state, { answer: 'Red' }, NOW);
    expect(whats(state, DAY)).toEqual([]);
    expect(state.plan).toEqual([]);
  });

  it('lets those it is escalated to answer, and nobody before', () => {
    const state = waiting();
    beginNotices(state, NOW + 2 * HOUR);
    expect(state.access.assignees).toEqual([]);
    beginNotices(state, NOW + DAY);
    expect(state.access.assignees).toEqual(['maria', 'sam']);
  });
});

it('says so where those it is escalated to are too many to be let in', () => {
  const many = Array.from({ length: 50 }, (_, n) => `${n}-${'x'.repeat(34)}`);
  const escalate = [{ after: HOUR, to: ['y'.repeat(100)] }];
  const access = { assignees: many };
  const state = asking([colour], {}, { agent: agent({ escalate }), access });
  expect(beginNotices(state, NOW + HOUR)[0]?.what).toMatch(/^escalated to y+: they cannot be let in/);
  expect(state.access.assignees).toEqual(many);
});

describe('a notice that was sent', () => {
  const sent = () => {
    const state = asking([colour], {}, { agent: agent({ remind: [HOUR] }) });
    const [notice] = beginNotices(state, NOW + HOUR);
    if (!notice) throw new Error('nothing was due');
    return { state, notice };
  };
  const shown = { at: at(HOUR + 5), channel: 'log', what: 'reminder 1 of 1' };

  it('shows in the question, in the timeline and in the plan no more', () => {
    const { state, notice } = sent();
    recordNotice(state, 'question-1', notice, undefined, NOW + HOUR + 5);
    expect(open(state).notices).toEqual([shown]);
    const entries = timelineOf(state).items;
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'question', question: open(state) }));
    expect(entries.at(-1)).toMatchObject({
      kind: 'notice',
      channel: 'log',
      what: 'question-1: reminder 1 of 1',
    });
    expect(state.plan).toEqual([]);
  });

  it('shows in the question also when that was settled meanwhile', () => {
    const { state, notice } = sent();
    answer(state, { answer: 'Red' }, NOW + HOUR);
    recordNotice(state, 'question-1', notice, undefined, NOW + HOUR + 5);
    expect(settled(state).notices).toEqual([shown]);
  });

  it('says so where it could not be sent', () => {
    const { state, notice } = sent();
    recordNotice(state, 'question-1', notice, 'nobody there', NOW + HOUR);
    expect(open(state).notices[0]?.what).toBe('reminder 1 of 1: could not be sent: nobody there');
  });

  it('is forgotten where it was not needed any more', () => {
    const { state, notice } = sent();
    forgetNotice(state, 'question-1', notice.number);
    expect(state.plan).toEqual([]);
    expect(open(state).notices).toEqual([]);
  });
});
