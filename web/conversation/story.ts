import type { Conversation } from '#contract/conversation';
import type { Entry, Timeline } from '#contract/entry';
import type { ConversationEvent } from '#contract/event';
import type { Question } from '#contract/question';

/** An entry, with a name of its own on the page: a text keeps the one it had while it was written. */
export type Told = Entry & { key: string };

/** A conversation as a person reads it, put together from the timeline and what has happened since. */
export interface Story {
  conversation: Conversation;
  entries: Told[];
  /** The text that is being written. */
  writing: { key: string; text: string } | undefined;
  /** The number up to which everything is known. */
  last: number;
  isTruncated: boolean;
}

export function begin(conversation: Conversation, { items, truncated }: Timeline): Story {
  const entries = items.map((entry) => ({ ...entry, key: String(entry.id) }));
  return {
    conversation,
    entries,
    writing: undefined,
    last: Math.max(0, ...items.map(numberOf)),
    isTruncated: truncated ?? false,
  };
}

function numberOf(entry: Entry): number {
  return entry.kind === 'question' ? Math.max(entry.id, entry.settledId ?? 0) : entry.id;
}

/** Notices come with no event: whoever looked has them from the timeline. What is known up to where stays as it was. */
export function addNotices(story: Story, { items }: Timeline): Story {
  const notices = items.filter(({ kind }) => kind === 'notice');
  return { ...notices.reduce(put, story), last: story.last };
}

/** The story, one event further. */
export function tell(story: Story, event: ConversationEvent): Story {
  switch (event.event) {
    case 'snapshot':
      return { ...story, conversation: event.data, last: event.id };
    case 'done':
      return { ...story, conversation: event.data, writing: undefined };
    case 'delta':
      return { ...story, writing: { key: writingKey(story), text: event.data.text } };
    case 'question_pending':
      return ask(story, event.id, event.data);
    case 'question_answered':
      return settle(story, event.id, event.data);
    case 'status':
      return put(withConversation(story, { status: event.data.status }), event.data);
    case 'todos':
      return put(withConversation(story, { todos: event.data.todos }), event.data);
    case 'message':
      return event.data.role === 'assistant'
        ? { ...put(story, event.data), writing: undefined }
        : put(story, event.data);
    case 'tool':
      return put(story, event.data);
  }
}

function writingKey(story: Story): string {
  return story.writing?.key ?? `after-${story.last}`;
}

function withConversation(story: Story, change: Partial<Conversation>): Story {
  return { ...story, conversation: { ...story.conversation, ...change } };
}

function put(story: Story, entry: Entry): Story {
  const last = Math.max(story.last, numberOf(entry));
  const place = story.entries.findIndex(({ id }) => id === entry.id);
  const known = story.entries[place];
  if (known) return { ...story, last, entries: story.entries.with(place, { ...entry, key: known.key }) };
  const isWritten = entry.kind === 'message' && entry.role === 'assistant' && story.writing;
  const told = { ...entry, key: isWritten ? isWritten.key : String(entry.id) };
  const entries = [...story.entries, told].sort((a, b) => a.id - b.id);
  return { ...story, last, entries };
}

function ask(story: Story, id: number, question: Question): Story {
  const entry = { id, at: question.askedAt, kind: 'question' as const, question, settledId: null };
  return put(withConversation(story, { question, status: 'waiting_for_input' }), entry);
}

function settle(story: Story, settledId: number, question: Question): Story {
  const entries = story.entries.map((entry) =>
    entry.kind === 'question' && entry.question.id === question.id
      ? { ...entry, question, settledId }
      : entry,
  );
  const { conversation } = story;
  const change =
    conversation.question?.id === question.id ? ({ question: null, status: 'running' } as const) : {};
  return { ...withConversation(story, change), entries, last: Math.max(story.last, settledId) };
}

export function isFinished({ status }: Pick<Conversation, 'status'>): boolean {
  return status !== 'running' && status !== 'waiting_for_input';
}
