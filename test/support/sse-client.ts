import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { ConversationEvent, InboxEvent } from '#contract/events';

export interface SseWatcher<E> {
  status: number;
  headers: IncomingHttpHeaders;
  /** The events so far, validated against the contract. */
  events: E[];
  comments: string[];
  /** Resolves with the first event that matches. */
  waitForEvent<W extends E>(wanted: (event: E) => event is W): Promise<W>;
  waitForEvent(wanted: (event: E) => boolean): Promise<E>;
  /** Resolves when the stream has ended; rejects if the connection was cut. */
  closed: Promise<void>;
  disconnect(): void;
}

type ParsedSseEvent = { event: string; id?: number; data: unknown };

/** Watches a conversation, optionally from an event id. */
export const watchConversationEvents = (url: string, id: string, lastEventId?: number) =>
  openSseStream(`${url}/v1/conversations/${id}/events`, lastEventId, (event) => ConversationEvent.parse(event));

/** Watches the inbox. */
export const watchInboxEvents = (url: string, query = '') =>
  openSseStream(`${url}/v1/questions/events${query}`, undefined, (event) => InboxEvent.parse(event));

async function openSseStream<E>(
  url: string,
  lastEventId: number | undefined,
  check: (event: ParsedSseEvent) => E,
): Promise<SseWatcher<E>> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject);
  });
  const events: E[] = [];
  const comments: string[] = [];
  const waiters = new Set<() => void>();
  const notifyWaiters = () => {
    for (const look of waiters) look();
  };
  let parseError: unknown;
  let partialBlock = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (partialBlock + chunk).split('\n\n');
    partialBlock = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) comments.push(block);
      else if (!block.startsWith('retry:')) {
        try {
          events.push(check(parseSseBlock(block)));
        } catch (error) {
          parseError = error;
        }
      }
    }
    notifyWaiters();
  });
  const closed = new Promise<void>((resolve, reject) => {
    response
      .once('end', resolve)
      .once('error', reject)
      .once('close', () => reject(new Error('cut')));
  });
  closed.catch(() => undefined).finally(notifyWaiters);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments,
    waitForEvent: (wanted: (event: E) => boolean) =>
      new Promise<never>((resolve, reject) => {
        const look = () => {
          const found = events.find(wanted);
          if (!found && !parseError && !response.destroyed) return;
          waiters.delete(look);
          if (found) resolve(found as never);
          else reject(parseError ?? new Error(`the stream is over: ${JSON.stringify(events)}`));
        };
        waiters.add(look);
        look();
      }),
    closed,
    disconnect: () => response.destroy(),
  };
}

function parseSseBlock(block: string): ParsedSseEvent {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const id = fields.get('id');
  return {
    event: fields.get('event') ?? '',
    ...(id === undefined ? {} : { id: Number(id) }),
    data: JSON.parse(fields.get('data') ?? ''),
  };
}

/**
 * Lists names and ids of events, which must be the same for all viewers. Deltas are excluded, as they depend on timing.
 */
export function listEventNames(events: ConversationEvent[]): string[] {
  return events
    .filter(({ event }) => event !== 'delta')
    .map((event) => ('id' in event ? `${event.id} ${event.event}` : event.event));
}

export function isEventNamed<Name extends ConversationEvent['event']>(name: Name) {
  return (one: ConversationEvent): one is Extract<ConversationEvent, { event: Name }> => one.event === name;
}
