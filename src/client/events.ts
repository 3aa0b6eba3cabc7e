import type { Conversation, ConversationStatus } from '#contract/conversation';
import type { ConversationEvent, InboxEvent } from '#contract/event';
import type { InboxFilter, StreamOptions } from './input';
import type { Message } from './messages';
import { read } from './request';
import type { Settings } from './settings';
import { stream } from './stream';

/** Those this client knows; a newer server may have more, which are skipped. */
const OF_CONVERSATION: Record<ConversationEvent['event'], true> = {
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
const OF_INBOX: Record<InboxEvent['event'], true> = {
  snapshot: true,
  question_pending: true,
  question_answered: true,
};

function known<Event extends { event: string }>(
  names: Record<Event['event'], true>,
  message: Message,
): Event | undefined {
  return Object.hasOwn(names, message.event) ? (message as unknown as Event) : undefined;
}

export function events(settings: Settings) {
  return {
    /**
     * What happens in a conversation, until `done`. Connections are made again as needed; an abort ends it quietly.
     * A `snapshot` replaces what was known, its number too.
     */
    async *events(
      id: string,
      { after, signal, onTrouble }: StreamOptions & { after?: number } = {},
    ): AsyncGenerator<ConversationEvent, void> {
      const ending = () => doneIfFinished(settings, id, signal);
      const source = { path: ['conversations', id, 'events'], after, signal, onTrouble, ending };
      for await (const message of stream(settings, source)) {
        const event = known<ConversationEvent>(OF_CONVERSATION, message);
        if (event) yield event;
        if (event?.event === 'done') return;
      }
    },

    /** The inbox as it changes, without end. Each connection begins with a `snapshot`, which replaces what was known. */
    async *inboxEvents({
      signal,
      onTrouble,
      ...query
    }: InboxFilter & StreamOptions = {}): AsyncGenerator<InboxEvent, void> {
      const source = { path: ['questions', 'events'], query, signal, onTrouble };
      for await (const message of stream(settings, source)) {
        const event = known<InboxEvent>(OF_INBOX, message);
        if (event) yield event;
      }
    },
  };
}

const UNFINISHED: ConversationStatus[] = ['running', 'waiting_for_input'];

/** Nothing, where it was taken up again in between. */
async function doneIfFinished(
  settings: Settings,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Message | undefined> {
  const conversation = await read<Conversation>(settings, ['conversations', id], {}, signal);
  return UNFINISHED.includes(conversation.status) ? undefined : { event: 'done', data: conversation };
}
