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

const START_ISO = new Date(START_TIME).toISOString();
const readTimelineState = (state: ConversationState) =>
  createTimelineState(toConversation(state), selectTimeline(state));
const eventsSince = (state: ConversationState, after = 0) =>
  toStreamEvents(state.entries).flatMap(({ number, event }) => (number > after && event ? [event] : []));
const message = (id: number, text: string, role: 'user' | 'assistant' = 'assistant') =>
  ({ event: 'message', id, data: { id, at: START_ISO, kind: 'message', role, text } }) satisfies ConversationEvent;
const delta = (text: string): ConversationEvent => ({ event: 'delta', data: { text } });

/** What the page shows, without the notices of open questions, which only the timeline has. */
function visibleState({ entries, conversation, isTruncated, partialText }: TimelineState) {
  const withoutNotices = (entry: TimelineEntry) =>
    entry.kind === 'question' && entry.settledId === null
      ? { ...entry, question: { ...entry.question, notices: [] } }
      : entry;
  const { status, todos, question } = conversation;
  const openQuestion = question && { ...question, notices: [] };
  return { entries: entries.map(withoutNotices), status, todos, openQuestion, isTruncated, partialText };
}

describe('a timeline', () => {
  it('is the same wherever the read part ends and the events begin', () => {
    fc.assert(
      fc.property(conversationEvents, fc.nat(), (steps, seed) => {
        const driver = new ConversationDriver();
        const cut = seed % steps.length;
        for (const event of steps.slice(0, cut)) driver.apply(event);
        const before = readTimelineState(cloneState(driver.state));
        for (const event of steps.slice(cut)) driver.apply(event);
        const finalState = driver.state;
        const after = eventsSince(finalState, before.lastEventId).reduce(applyConversationEvent, before);
        const complete = addTimelineNotices(after, selectTimeline(finalState, before.lastEventId));
        expect(visibleState(complete)).toEqual(visibleState(readTimelineState(finalState)));
        expect(new Set(complete.entries.map(({ key }) => key)).size).toBe(complete.entries.length);
      }),
    );
  });

  it('is the same if events are repeated', () => {
    fc.assert(
      fc.property(conversationEvents, fc.nat(), (steps, seed) => {
        const driver = new ConversationDriver();
        for (const event of steps) driver.apply(event);
        const events = eventsSince(driver.state);
        const complete = events.reduce(applyConversationEvent, readTimelineState(driver.state));
        const repeated = events.slice(seed % events.length);
        expect(repeated.reduce(applyConversationEvent, complete).entries.map(({ id }) => id)).toEqual(
          complete.entries.map(({ id }) => id),
        );
      }),
    );
  });

  it('keeps the place of a text from its first character to its last', () => {
    const before = readTimelineState(askingConversation());
    const partial = [delta('The'), delta('The shed')].reduce(applyConversationEvent, before);
    expect(partial.partialText).toEqual({ key: `after-${before.lastEventId}`, text: 'The shed' });
    const written = applyConversationEvent(partial, message(before.lastEventId + 1, 'The shed is red.'));
    expect(written.partialText).toBeUndefined();
    expect(written.entries.at(-1)).toMatchObject({ key: `after-${before.lastEventId}`, text: 'The shed is red.' });
    const more = applyConversationEvent(written, delta('And'));
    expect(more.partialText?.key).not.toBe(written.entries.at(-1)?.key);
  });

  it('shows since when the model has been thinking, until its text or its calls arrive', () => {
    const thinkingSince = START_ISO;
    const before = readTimelineState(askingConversation());
    const thinking = applyConversationEvent(before, { event: 'delta', data: { text: '', thinkingSince } });
    expect(thinking.partialText).toMatchObject({ text: '', thinkingSince });
    expect(applyConversationEvent(thinking, delta('The')).partialText).not.toHaveProperty('thinkingSince');
    const data = { id: before.lastEventId + 1, at: START_ISO, kind: 'tool' as const, name: 'dig', input: {} };
    const called = applyConversationEvent(thinking, { event: 'tool', id: data.id, data });
    expect(called.partialText).toBeUndefined();
  });

  it('keeps a text that is being written when the user sends a message', () => {
    const partial = applyConversationEvent(readTimelineState(askingConversation()), delta('The'));
    const meanwhile = applyConversationEvent(partial, message(partial.lastEventId + 1, 'Hurry', 'user'));
    expect(meanwhile.partialText).toEqual(partial.partialText);
    expect(meanwhile.entries.at(-1)).toMatchObject({ key: String(partial.lastEventId + 1), text: 'Hurry' });
  });

  it('shows the outcome of a question where it was asked', () => {
    const state = askingConversation();
    const before = readTimelineState(state);
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    const after = eventsSince(state, before.lastEventId).reduce(applyConversationEvent, before);
    const index = before.entries.findIndex(({ kind }) => kind === 'question');
    expect(after.entries[index]).toMatchObject({
      key: before.entries[index]?.key,
      question: { status: 'answered', outcome: { answers: { q1: 'Red' } } },
    });
    expect(after.conversation).toMatchObject({ question: null, status: 'running' });
    expect(after.lastEventId).toBe(state.lastEntryId);
  });

  it('keeps the open question when an older one is reported as closed', () => {
    const state = askingConversation();
    const timeline = readTimelineState(state);
    const olderQuestion = { ...(state.question as NonNullable<ConversationState['question']>), id: 'question-0' };
    const event = { event: 'question_answered', id: 9, data: { ...olderQuestion, status: 'answered' } } as const;
    expect(applyConversationEvent(timeline, event).conversation.question?.id).toBe('question-1');
  });

  it('takes the conversation from a snapshot, and continues from its number', () => {
    const timeline = readTimelineState(askingConversation());
    const data: Conversation = { ...timeline.conversation, title: 'Newer' };
    expect(applyConversationEvent(timeline, { event: 'snapshot', id: 40, data })).toMatchObject({
      conversation: data,
      lastEventId: 40,
    });
  });

  it('ends without partial text', () => {
    const partial = applyConversationEvent(readTimelineState(askingConversation()), delta('The'));
    const data: Conversation = { ...partial.conversation, status: 'failed' };
    const done = applyConversationEvent(partial, { event: 'done', data });
    expect([done.partialText, hasConversationEnded(done.conversation)]).toEqual([undefined, true]);
    expect(hasConversationEnded(partial.conversation)).toBe(false);
  });

  it('says that its beginning was removed', () => {
    expect(createTimelineState(toConversation(askingConversation()), { items: [], truncated: true })).toMatchObject({
      isTruncated: true,
      lastEventId: 0,
    });
  });
});
