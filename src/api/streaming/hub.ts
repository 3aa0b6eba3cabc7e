import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BuildLinks } from '#api/services/read-conversation';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { NO_EARLIER_ENTRIES, readChanges } from './change-reader';
import { ConversationFeed } from './conversation-feed';
import { cursorAt, EventBuffer } from './event-buffer';
import { InboxFeed, type InboxFeedFilter } from './inbox-feed';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, SSE_HEADERS, SseConnection } from './sse-connection';

export interface StreamHubOptions extends ConnectionLimits {
  /** How often text is looked at while it is written. */
  textEveryMs: number;
  /** How often the inbox is looked at, at most. */
  inboxEveryMs: number;
}

/** Where each look at the inbox is a request of its own: it begins with all there is, so there is nothing to wait for in it. */
const INBOX_RETRY_MS = 5_000;

const USUAL: StreamHubOptions = { ...DEFAULT_CONNECTION_LIMITS, textEveryMs: 250, inboxEveryMs: 1_000 };

export type StreamHub = ReturnType<typeof createStreamHub>;

/** Everything that is being watched through this API: each conversation once, the inbox once, however many watch. */
export function createStreamHub(
  gateway: TemporalGateway,
  linksOf: BuildLinks,
  options: Partial<StreamHubOptions> = {},
) {
  const { textEveryMs, inboxEveryMs, ...pace } = { ...USUAL, ...options };
  const tails = new Map<string, ConversationFeed>();
  const viewers = new Set<SseConnection>();
  let inbox: InboxFeed | undefined;
  let isStopped = false;

  /** One for each chain of runs: to take a finished conversation up begins another. */
  function tailOf(run: Execution): ConversationFeed {
    const key = `${run.id} ${run.firstRunId}`;
    const onEnd = () => void (tails.get(key) === tail && tails.delete(key));
    const tail: ConversationFeed = tails.get(key) ?? new ConversationFeed(gateway, run, linksOf, textEveryMs, onEnd);
    tails.set(key, tail);
    return tail;
  }

  function theInbox(): InboxFeed {
    inbox ??= new InboxFeed(gateway, inboxEveryMs, () => {
      inbox = undefined;
    });
    return inbox;
  }

  async function show(
    request: IncomingMessage,
    response: ServerResponse,
    what: (viewer: SseConnection) => Promise<void>,
    retryMs?: number,
  ): Promise<void> {
    if (request.method === 'HEAD' || isStopped) return void response.writeHead(200, SSE_HEADERS).end();
    const viewer = new SseConnection(response, pace, retryMs);
    viewers.add(viewer);
    await what(viewer).finally(() => viewers.delete(viewer));
  }

  return {
    /** The events of a conversation, from the one after `lastEventId` on, until it is done. */
    followConversation: (
      run: Execution,
      lastEventId: number | undefined,
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<void> =>
      show(request, response, (viewer) =>
        isExecutionClosed(run)
          ? streamClosedConversation(gateway, run, linksOf, lastEventId, viewer, response)
          : tailOf(run).follow(viewer, lastEventId),
      ),

    /** The inbox as it changes. */
    followInbox: (filter: InboxFeedFilter, request: IncomingMessage, response: ServerResponse): Promise<void> =>
      show(request, response, (viewer) => theInbox().follow(viewer, filter), pace.isBrief ? INBOX_RETRY_MS : undefined),

    /** What is watched in Temporal, the inbox too, and by how many. */
    counts: () => ({ tails: tails.size + (inbox ? 1 : 0), viewers: viewers.size }),

    /** Send everybody away in good order: they come back, and find their place, wherever somebody listens. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const tail of tails.values()) tail.stop();
      inbox?.stop();
      await Promise.all([...viewers].map((viewer) => viewer.leave()));
    },
  };
}

/** What is left of a finished conversation, and that it is done; 204 where nothing is, which tells a browser to stop. */
async function streamClosedConversation(
  gateway: TemporalGateway,
  run: Execution,
  linksOf: BuildLinks,
  at: number | undefined,
  viewer: SseConnection,
  response: ServerResponse,
): Promise<void> {
  const after = at ?? NO_EARLIER_ENTRIES;
  const changes = await readChanges(gateway, run, after, linksOf);
  if (at === changes.last) return void response.writeHead(204).end();
  const window = new EventBuffer();
  window.take(changes, after, 1);
  window.finish(changes.conversation);
  const place = cursorAt(at, 0);
  await viewer.show(() => window.next(place));
}
