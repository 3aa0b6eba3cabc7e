import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BuildLinks } from '#api/services/read-conversation';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { ConversationFeed } from './conversation-feed';
import { cursorAt, EventBuffer } from './event-buffer';
import { InboxFeed, type InboxFeedFilter } from './inbox-feed';
import { NO_EARLIER_ENTRIES, readChanges } from './read-changes';
import { DEFAULT_CONNECTION_LIMITS, SSE_HEADERS, SseConnection } from './sse-connection';

/** Retry delay if each stream is a single batch, which starts with a complete snapshot. */
const INBOX_RETRY_MS = 5_000;

const DEFAULT_OPTIONS = {
  ...DEFAULT_CONNECTION_LIMITS,
  /** Poll interval for text that is being written. */
  textPollMs: 250,
  /** Minimum poll interval of the inbox. */
  inboxPollMs: 1_000,
};
export type StreamHubOptions = typeof DEFAULT_OPTIONS;

export type StreamHub = ReturnType<typeof createStreamHub>;

/** All streams of this API: one feed for each conversation and one for the inbox, however many viewers there are. */
export function createStreamHub(
  gateway: TemporalGateway,
  buildLinks: BuildLinks,
  options: Partial<StreamHubOptions> = {},
) {
  const { textPollMs, inboxPollMs, ...connectionLimits } = { ...DEFAULT_OPTIONS, ...options };
  const feeds = new Map<string, ConversationFeed>();
  const connections = new Set<SseConnection>();
  let inbox: InboxFeed | undefined;
  let isStopped = false;

  /** One feed per chain of runs. Reopening a finished conversation starts another chain. */
  function feedFor(run: Execution): ConversationFeed {
    const key = `${run.id} ${run.firstRunId}`;
    const onEnd = () => void (feeds.get(key) === feed && feeds.delete(key));
    const feed: ConversationFeed = feeds.get(key) ?? new ConversationFeed(gateway, run, buildLinks, textPollMs, onEnd);
    feeds.set(key, feed);
    return feed;
  }

  function openInbox(): InboxFeed {
    inbox ??= new InboxFeed(gateway, inboxPollMs, () => {
      inbox = undefined;
    });
    return inbox;
  }

  async function connect(
    request: IncomingMessage,
    response: ServerResponse,
    serve: (connection: SseConnection) => Promise<void>,
    retryMs?: number,
  ): Promise<void> {
    if (request.method === 'HEAD' || isStopped) return void response.writeHead(200, SSE_HEADERS).end();
    const connection = new SseConnection(response, connectionLimits, retryMs);
    connections.add(connection);
    await serve(connection).finally(() => connections.delete(connection));
  }

  return {
    /** Streams the events of a conversation after `lastEventId`, until it is done. */
    followConversation: (
      run: Execution,
      lastEventId: number | undefined,
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<void> =>
      connect(request, response, (connection) =>
        isExecutionClosed(run)
          ? streamClosedConversation(gateway, run, buildLinks, lastEventId, connection, response)
          : feedFor(run).subscribe(connection, lastEventId),
      ),

    followInbox: (filter: InboxFeedFilter, request: IncomingMessage, response: ServerResponse): Promise<void> =>
      connect(
        request,
        response,
        (connection) => openInbox().subscribe(connection, filter),
        connectionLimits.isSingleBatch ? INBOX_RETRY_MS : undefined,
      ),

    /** Returns how many feeds are polling Temporal, including the inbox, and how many connections are open. */
    counts: () => ({ feeds: feeds.size + (inbox ? 1 : 0), connections: connections.size }),

    /** Closes all connections cleanly, so that clients reconnect to another API and resume. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const feed of feeds.values()) feed.stop();
      inbox?.stop();
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}

/** Streams the remaining events of a finished conversation. A 204 tells a browser not to reconnect. */
async function streamClosedConversation(
  gateway: TemporalGateway,
  run: Execution,
  buildLinks: BuildLinks,
  lastEventId: number | undefined,
  connection: SseConnection,
  response: ServerResponse,
): Promise<void> {
  const after = lastEventId ?? NO_EARLIER_ENTRIES;
  const changes = await readChanges(gateway, run, after, buildLinks);
  if (lastEventId === changes.lastEntryId) return void response.writeHead(204).end();
  const buffer = new EventBuffer();
  buffer.applyChanges(changes, after, 1);
  buffer.finish(changes.conversation);
  const cursor = cursorAt(lastEventId, 0);
  await connection.stream(() => buffer.next(cursor));
}
