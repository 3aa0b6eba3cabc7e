import type { Conversation } from '#contract/conversation';
import type { ConversationEvent, PartialMessage } from '#contract/events';
import type { Question } from '#contract/question';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';
import { latestEventId } from '#core/timeline';

/** An entry with its React key. A finished text keeps the key of its partial text. */
export type KeyedEntry = TimelineEntry & { key: string };

/** A conversation with its timeline and every event applied since it was loaded. */
export interface TimelineState {
  conversation: Conversation;
  entries: KeyedEntry[];
  /** The text that the model is still writing, and since when it has been thinking instead. */
  partialText: ({ key: string } & PartialMessage) | undefined;
  /** All events up to this id are applied. */
  lastEventId: number;
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
    partialText: undefined,
    lastEventId: Math.max(0, ...items.map(latestEventId)),
    isTruncated: truncated ?? false,
  };
}

/** Adds notices, which come without events. Leaves `lastEventId` alone, because other entries may still be missing. */
export function addTimelineNotices(state: TimelineState, { items }: ConversationTimeline): TimelineState {
  const notices = items.filter(({ kind }) => kind === 'notice');
  return { ...notices.reduce(upsertEntry, state), lastEventId: state.lastEventId };
}

/** The state after one more event. */
export function applyConversationEvent(state: TimelineState, event: ConversationEvent): TimelineState {
  switch (event.event) {
    case 'snapshot':
      return { ...state, conversation: event.data, lastEventId: event.id };
    case 'done':
      return { ...state, conversation: event.data, partialText: undefined };
    case 'delta':
      return { ...state, partialText: { key: partialTextKey(state), ...event.data } };
    case 'question_pending':
      return addPendingQuestion(afterThinking(state), event.id, event.data);
    case 'question_answered':
      return resolvePendingQuestion(state, event.id, event.data);
    case 'status':
      return upsertEntry(withConversation(state, { status: event.data.status }), event.data);
    case 'todos':
      return upsertEntry(withConversation(afterThinking(state), { todos: event.data.todos }), event.data);
    case 'message':
      return event.data.role === 'assistant'
        ? { ...upsertEntry(state, event.data), partialText: undefined }
        : upsertEntry(state, event.data);
    case 'tool':
      return upsertEntry(afterThinking(state), event.data);
  }
}

/** A reply without a text is complete when its calls arrive. */
function afterThinking(state: TimelineState): TimelineState {
  return state.partialText?.text === '' ? { ...state, partialText: undefined } : state;
}

function partialTextKey(state: TimelineState): string {
  return state.partialText?.key ?? `after-${state.lastEventId}`;
}

function withConversation(state: TimelineState, change: Partial<Conversation>): TimelineState {
  return { ...state, conversation: { ...state.conversation, ...change } };
}

function upsertEntry(state: TimelineState, entry: TimelineEntry): TimelineState {
  const lastEventId = Math.max(state.lastEventId, latestEventId(entry));
  const index = state.entries.findIndex(({ id }) => id === entry.id);
  const existing = state.entries[index];
  if (existing) return { ...state, lastEventId, entries: state.entries.with(index, { ...entry, key: existing.key }) };
  const finishedText = entry.kind === 'message' && entry.role === 'assistant' && state.partialText;
  const keyed = { ...entry, key: finishedText ? finishedText.key : String(entry.id) };
  const entries = [...state.entries, keyed].sort((a, b) => a.id - b.id);
  return { ...state, lastEventId, entries };
}

function addPendingQuestion(state: TimelineState, id: number, question: Question): TimelineState {
  const entry = { id, at: question.askedAt, kind: 'question' as const, question, settledId: null };
  return upsertEntry(withConversation(state, { question, status: 'waiting_for_input' }), entry);
}

function resolvePendingQuestion(state: TimelineState, settledId: number, question: Question): TimelineState {
  const entries = state.entries.map((entry) =>
    entry.kind === 'question' && entry.question.id === question.id ? { ...entry, question, settledId } : entry,
  );
  const { conversation } = state;
  const change = conversation.question?.id === question.id ? ({ question: null, status: 'running' } as const) : {};
  return { ...withConversation(state, change), entries, lastEventId: Math.max(state.lastEventId, settledId) };
}

export function hasConversationEnded({ status }: Pick<Conversation, 'status'>): boolean {
  return status !== 'running' && status !== 'waiting_for_input';
}
