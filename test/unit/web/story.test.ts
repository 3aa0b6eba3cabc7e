import fc from 'fast-check';
import { eventsOf } from '#api/live/frames';
import type { Conversation } from '#contract/conversation';
import type { Entry } from '#contract/entry';
import type { ConversationEvent } from '#contract/event';
import { answer } from '#core/settling';
import type { State } from '#core/state';
import { conversationOf, timelineOf } from '#core/view';
import { Driver, events } from '#test/support/core/driver';
import { asking, copyOf, NOW } from '#test/support/core/given';
import { addNotices, begin, isFinished, type Story, tell } from '../../../web/conversation/story';

const AT = new Date(NOW).toISOString();
const read = (state: State) => begin(conversationOf(state), timelineOf(state));
const eventsIn = (state: State, after = 0) =>
  eventsOf(state.entries).flatMap(({ number, event }) => (number > after && event ? [event] : []));
const message = (id: number, text: string, role: 'user' | 'assistant' = 'assistant') =>
  ({ event: 'message', id, data: { id, at: AT, kind: 'message', role, text } }) satisfies ConversationEvent;
const delta = (text: string): ConversationEvent => ({ event: 'delta', data: { text } });

/** What is on the page; who was told of an open question is in the timeline alone. */
function shown({ entries, conversation, isTruncated, writing }: Story) {
  const unread = (entry: Entry) =>
    entry.kind === 'question' && entry.settledId === null
      ? { ...entry, question: { ...entry.question, notices: [] } }
      : entry;
  const { status, todos, question } = conversation;
  const asked = question && { ...question, notices: [] };
  return { entries: entries.map(unread), status, todos, asked, isTruncated, writing };
}

describe('a story', () => {
  it('is the same wherever what was read ends and what is told begins', () => {
    fc.assert(
      fc.property(events, fc.nat(), (happenings, chance) => {
        const driver = new Driver();
        const cut = chance % happenings.length;
        for (const event of happenings.slice(0, cut)) driver.happen(event);
        const before = read(copyOf(driver.state));
        for (const event of happenings.slice(cut)) driver.happen(event);
        const final = driver.state;
        const after = eventsIn(final, before.last).reduce(tell, before);
        const whole = addNotices(after, timelineOf(final, before.last));
        expect(shown(whole)).toEqual(shown(read(final)));
        expect(new Set(whole.entries.map(({ key }) => key)).size).toBe(whole.entries.length);
      }),
    );
  });

  it('is the same when some of it is told twice', () => {
    fc.assert(
      fc.property(events, fc.nat(), (happenings, chance) => {
        const driver = new Driver();
        for (const event of happenings) driver.happen(event);
        const told = eventsIn(driver.state);
        const whole = told.reduce(tell, read(driver.state));
        const again = told.slice(chance % told.length);
        expect(again.reduce(tell, whole).entries.map(({ id }) => id)).toEqual(
          whole.entries.map(({ id }) => id),
        );
      }),
    );
  });

  it('keeps the place of a text from its first letter to its last', () => {
    const before = read(asking());
    const writing = [delta('The'), delta('The shed')].reduce(tell, before);
    expect(writing.writing).toEqual({ key: `after-${before.last}`, text: 'The shed' });
    const written = tell(writing, message(before.last + 1, 'The shed is red.'));
    expect(written.writing).toBeUndefined();
    expect(written.entries.at(-1)).toMatchObject({ key: `after-${before.last}`, text: 'The shed is red.' });
    const more = tell(written, delta('And'));
    expect(more.writing?.key).not.toBe(written.entries.at(-1)?.key);
  });

  it('goes on being written when the person says something meanwhile', () => {
    const writing = tell(read(asking()), delta('The'));
    const meanwhile = tell(writing, message(writing.last + 1, 'Hurry', 'user'));
    expect(meanwhile.writing).toEqual(writing.writing);
    expect(meanwhile.entries.at(-1)).toMatchObject({ key: String(writing.last + 1), text: 'Hurry' });
  });

  it('shows how a question ended where it was asked', () => {
    const state = asking();
    const open = read(state);
    answer(state, { answer: 'Red' }, NOW);
    const settled = eventsIn(state, open.last).reduce(tell, open);
    const place = open.entries.findIndex(({ kind }) => kind === 'question');
    expect(settled.entries[place]).toMatchObject({
      key: open.entries[place]?.key,
      question: { status: 'answered', outcome: { answers: { q1: 'Red' } } },
    });
    expect(settled.conversation).toMatchObject({ question: null, status: 'running' });
    expect(settled.last).toBe(state.lastEntry);
  });

  it('leaves the open question alone when an older one is told as settled', () => {
    const state = asking();
    const open = read(state);
    const older = { ...(state.question as NonNullable<State['question']>), id: 'question-0' };
    const event = { event: 'question_answered', id: 9, data: { ...older, status: 'answered' } } as const;
    expect(tell(open, event).conversation.question?.id).toBe('question-1');
  });

  it('takes the conversation from a snapshot, and begins to count there', () => {
    const story = read(asking());
    const data: Conversation = { ...story.conversation, title: 'Newer' };
    expect(tell(story, { event: 'snapshot', id: 40, data })).toMatchObject({ conversation: data, last: 40 });
  });

  it('ends with nothing half written', () => {
    const writing = tell(read(asking()), delta('The'));
    const data: Conversation = { ...writing.conversation, status: 'failed' };
    const done = tell(writing, { event: 'done', data });
    expect([done.writing, isFinished(done.conversation)]).toEqual([undefined, true]);
    expect(isFinished(writing.conversation)).toBe(false);
  });

  it('says where the beginning was dropped', () => {
    expect(begin(conversationOf(asking()), { items: [], truncated: true })).toMatchObject({
      isTruncated: true,
      last: 0,
    });
  });
});
