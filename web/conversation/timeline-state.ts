import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import type { Question } from '#contract/question';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';

/** An entry, with a name of its own on the page: a text keeps the one it had while it was written. */
export type KeyedEntry = TimelineEntry & { key: string };

/** A conversation as a person reads it, put together from the timeline and what has happened since. */
export interface TimelineState {
  conversation: Conversation;
  entries: KeyedEntry[];
  /** The text that is being written. */
  writing: { key: string; text: string } | undefined;
  /** The number up to which everything is known. */
  last: number;
  isTruncated: boolean;
}

export function createTimelineState(
  conversation: Conversation,
  { items, truncated }: ConversationTimeline,
): TimelineState {
  const entries = items.map((entry) => ({ ...entry, key: String(entry.id) }));
  return {
    conversation,
    entries,
    writing: undefined,
    last: Math.max(0, ...items.map(lastEventId)),
    isTruncated: truncated ?? false,
  };
}

function lastEventId(entry: TimelineEntry): number {
  return entry.kind === 'question' ? Math.max(entry.id, entry.settledId ?? 0) : entry.id;
}

/** Notices come with no event: whoever looked has them from the timeline. What is known up to where stays as it was. */
export function addTimelineNotices(story: TimelineState, { items }: ConversationTimeline): TimelineState {
  const notices = items.filter(({ kind }) => kind === 'notice');
  return { ...notices.reduce(upsertEntry, story), last: story.last };
}

/** The story, one event further. */
export function applyConversationEvent(story: TimelineState, event: ConversationEvent): TimelineState {
  switch (event.event) {
    case 'snapshot':
      return { ...story, conversation: event.data, last: event.id };
    case 'done':
      return { ...story, conversation: event.data, writing: undefined };
    case 'delta':
      return { ...story, writing: { key: partialTextKey(story), text: event.data.text } };
    case 'question_pending':
      return addPendingQuestion(story, event.id, event.data);
    case 'question_answered':
      return resolvePendingQuestion(story, event.id, event.data);
    case 'status':
      return upsertEntry(withConversation(story, { status: event.data.status }), event.data);
    case 'todos':
      return upsertEntry(withConversation(story, { todos: event.data.todos }), event.data);
    case 'message':
      return event.data.role === 'assistant'
        ? { ...upsertEntry(story, event.data), writing: undefined }
        : upsertEntry(story, event.data);
    case 'tool':
      return upsertEntry(story, event.data);
  }
}

function partialTextKey(story: TimelineState): string {
  return story.writing?.key ?? `after-${story.last}`;
}

function withConversation(story: TimelineState, change: Partial<Conversation>): TimelineState {
  return { ...story, conversation: { ...story.conversation, ...change } };
}

function upsertEntry(story: TimelineState, entry: TimelineEntry): TimelineState {
  const last = Math.max(story.last, lastEventId(entry));
  const place = story.entries.findIndex(({ id }) => id === entry.id);
  const known = story.entries[place];
  if (known) return { ...story, last, entries: story.entries.with(place, { ...entry, key: known.key }) };
  const isWritten = entry.kind === 'message' && entry.role === 'assistant' && story.writing;
  const told = { ...entry, key: isWritten ? isWritten.key : String(entry.id) };
  const entries = [...story.entries, told].sort((a, b) => a.id - b.id);
  return { ...story, last, entries };
}

function addPendingQuestion(story: TimelineState, id: number, question: Question): TimelineState {
  const entry = { id, at: question.askedAt, kind: 'question' as const, question, settledId: null };
  return upsertEntry(withConversation(story, { question, status: 'waiting_for_input' }), entry);
}

function resolvePendingQuestion(story: TimelineState, settledId: number, question: Question): TimelineState {
  const entries = story.entries.map((entry) =>
    entry.kind === 'question' && entry.question.id === question.id ? { ...entry, question, settledId } : entry,
  );
  const { conversation } = story;
  const change = conversation.question?.id === question.id ? ({ question: null, status: 'running' } as const) : {};
  return { ...withConversation(story, change), entries, last: Math.max(story.last, settledId) };
}

export function hasConversationEnded({ status }: Pick<Conversation, 'status'>): boolean {
  return status !== 'running' && status !== 'waiting_for_input';
}
