import type { Conversation, ConversationStatus } from '#contract/conversation';
import type { ConversationEvent, InboxEvent } from '#contract/events';
import { readEventStream, type SseMessage } from './event-stream';
import type { ClientSettings, EventStreamOptions, InboxFilter } from './options';
import { getJson } from './request';

/** Events known to this client. Unknown events from a newer server are skipped. */
const CONVERSATION_EVENTS: Record<ConversationEvent['event'], true> = {
  snapshot: true,
  status: true,
  message: true,
  delta: true,
  tool: true,
  todos: true,
  question_pending: true,
  question_answered: true,
  done: true,
};
const INBOX_EVENTS: Record<InboxEvent['event'], true> = {
  snapshot: true,
  question_pending: true,
  question_answered: true,
};

function asKnownEvent<Event extends { event: string }>(names: Record<Event['event'], true>, message: SseMessage) {
  return Object.hasOwn(names, message.event) ? (message as unknown as Event) : undefined;
}

export function createEventMethods(settings: ClientSettings) {
  return {
    /**
     * Streams the events of a conversation until `done`, reconnecting as needed. An abort ends it without an error. A
     * `snapshot` replaces all previous state, including the event id.
     */
    async *events(
      id: string,
      { after, signal, onConnectionChange }: EventStreamOptions & { after?: number } = {},
    ): AsyncGenerator<ConversationEvent, void> {
      const readFinalMessage = () => createDoneEvent(settings, id, signal);
      const source = { path: ['conversations', id, 'events'], after, signal, onConnectionChange, readFinalMessage };
      for await (const message of readEventStream(settings, source)) {
        const event = asKnownEvent<ConversationEvent>(CONVERSATION_EVENTS, message);
        if (event) yield event;
        if (event?.event === 'done') return;
      }
    },

    /** Streams the inbox without end. Each connection begins with a `snapshot` that replaces earlier state. */
    async *inboxEvents({
      signal,
      onConnectionChange,
      ...query
    }: InboxFilter & EventStreamOptions = {}): AsyncGenerator<InboxEvent, void> {
      const source = { path: ['questions', 'events'], query, signal, onConnectionChange };
      for await (const message of readEventStream(settings, source)) {
        const event = asKnownEvent<InboxEvent>(INBOX_EVENTS, message);
        if (event) yield event;
      }
    },
  };
}

const ACTIVE_STATUSES: ConversationStatus[] = ['running', 'waiting_for_input'];

/** Returns undefined if the conversation has been resumed in the meantime. */
async function createDoneEvent(
  settings: ClientSettings,
  id: string,
  signal: AbortSignal | undefined,
): Promise<SseMessage | undefined> {
  const conversation = await getJson<Conversation>(settings, ['conversations', id], {}, signal);
  return ACTIVE_STATUSES.includes(conversation.status) ? undefined : { event: 'done', data: conversation };
}
