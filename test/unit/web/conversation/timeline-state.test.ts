import fc from 'fast-check';
import { toStreamEvents } from '#api/streaming/sse-encoding';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import type { TimelineEntry } from '#contract/timeline';
import type { ConversationState } from '#core/conversation/state';
import { toConversation } from '#core/projections';
import { applyAnswer } from '#core/questions/resolve';
import { selectTimeline } from '#core/timeline';
import { ConversationDriver, conversationEvents } from '#test/support/core/conversation-driver';
import { askingConversation, cloneState, START_TIME } from '#test/support/core/conversation-fixture';
import {
  addTimelineNotices,
  applyConversationEvent,
  createTimelineState,
  hasConversationEnded,
  type TimelineState,
} from '../../../../web/conversation/timeline-state';

const AT = new Date(START_TIME).toISOString();
const read = (state: ConversationState) => createTimelineState(toConversation(state), selectTimeline(state));
const eventsIn = (state: ConversationState, after = 0) =>
  toStreamEvents(state.entries).flatMap(({ number, event }) => (number > after && event ? [event] : []));
const message = (id: number, text: string, role: 'user' | 'assistant' = 'assistant') =>
  ({ event: 'message', id, data: { id, at: AT, kind: 'message', role, text } }) satisfies ConversationEvent;
const delta = (text: string): ConversationEvent => ({ event: 'delta', data: { text } });

/** What is on the page; who was told of an open question is in the timeline alone. */
function shown({ entries, conversation, isTruncated, writing }: TimelineState) {
  const unread = (entry: TimelineEntry) =>
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
      fc.property(conversationEvents, fc.nat(), (happenings, chance) => {
        const driver = new ConversationDriver();
        const cut = chance % happenings.length;
        for (const event of happenings.slice(0, cut)) driver.happen(event);
        const before = read(cloneState(driver.state));
        for (const event of happenings.slice(cut)) driver.happen(event);
        const final = driver.state;
        const after = eventsIn(final, before.last).reduce(applyConversationEvent, before);
        const whole = addTimelineNotices(after, selectTimeline(final, before.last));
        expect(shown(whole)).toEqual(shown(read(final)));
        expect(new Set(whole.entries.map(({ key }) => key)).size).toBe(whole.entries.length);
      }),
    );
  });

  it('is the same when some of it is told twice', () => {
    fc.assert(
      fc.property(conversationEvents, fc.nat(), (happenings, chance) => {
        const driver = new ConversationDriver();
        for (const event of happenings) driver.happen(event);
        const told = eventsIn(driver.state);
        const whole = told.reduce(applyConversationEvent, read(driver.state));
        const again = told.slice(chance % told.length);
        expect(again.reduce(applyConversationEvent, whole).entries.map(({ id }) => id)).toEqual(
          whole.entries.map(({ id }) => id),
        );
      }),
    );
  });

  it('keeps the place of a text from its first letter to its last', () => {
    const before = read(askingConversation());
    const writing = [delta('The'), delta('The shed')].reduce(applyConversationEvent, before);
    expect(writing.writing).toEqual({ key: `after-${before.last}`, text: 'The shed' });
    const written = applyConversationEvent(writing, message(before.last + 1, 'The shed is red.'));
    expect(written.writing).toBeUndefined();
    expect(written.entries.at(-1)).toMatchObject({ key: `after-${before.last}`, text: 'The shed is red.' });
    const more = applyConversationEvent(written, delta('And'));
    expect(more.writing?.key).not.toBe(written.entries.at(-1)?.key);
  });

  it('goes on being written when the person says something meanwhile', () => {
    const writing = applyConversationEvent(read(askingConversation()), delta('The'));
    const meanwhile = applyConversationEvent(writing, message(writing.last + 1, 'Hurry', 'user'));
    expect(meanwhile.writing).toEqual(writing.writing);
    expect(meanwhile.entries.at(-1)).toMatchObject({ key: String(writing.last + 1), text: 'Hurry' });
  });

  it('shows how a question ended where it was asked', () => {
    const state = askingConversation();
    const open = read(state);
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    const settled = eventsIn(state, open.last).reduce(applyConversationEvent, open);
    const place = open.entries.findIndex(({ kind }) => kind === 'question');
    expect(settled.entries[place]).toMatchObject({
      key: open.entries[place]?.key,
      question: { status: 'answered', outcome: { answers: { q1: 'Red' } } },
    });
    expect(settled.conversation).toMatchObject({ question: null, status: 'running' });
    expect(settled.last).toBe(state.lastEntry);
  });

  it('leaves the open question alone when an older one is told as settled', () => {
    const state = askingConversation();
    const open = read(state);
    const older = { ...(state.question as NonNullable<ConversationState['question']>), id: 'question-0' };
    const event = { event: 'question_answered', id: 9, data: { ...older, status: 'answered' } } as const;
    expect(applyConversationEvent(open, event).conversation.question?.id).toBe('question-1');
  });

  it('takes the conversation from a snapshot, and begins to count there', () => {
    const story = read(askingConversation());
    const data: Conversation = { ...story.conversation, title: 'Newer' };
    expect(applyConversationEvent(story, { event: 'snapshot', id: 40, data })).toMatchObject({
      conversation: data,
      last: 40,
    });
  });

  it('ends with nothing half written', () => {
    const writing = applyConversationEvent(read(askingConversation()), delta('The'));
    const data: Conversation = { ...writing.conversation, status: 'failed' };
    const done = applyConversationEvent(writing, { event: 'done', data });
    expect([done.writing, hasConversationEnded(done.conversation)]).toEqual([undefined, true]);
    expect(hasConversationEnded(writing.conversation)).toBe(false);
  });

  it('says where the beginning was dropped', () => {
    expect(createTimelineState(toConversation(askingConversation()), { items: [], truncated: true })).toMatchObject({
      isTruncated: true,
      last: 0,
    });
  });
});
