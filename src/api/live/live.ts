import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '#api/gateway';
import type { LinksOf } from '#api/reading';
import { isClosed, type Run } from '#api/run';
import { showFinished } from './finished';
import { Inbox, type InboxFilter } from './inbox';
import { Tail } from './tail';
import { HEADERS, PACE, type Pace, Viewer } from './viewer';

export interface LiveOptions extends Pace {
  /** How often text is looked at while it is written. */
  textEveryMs: number;
  /** How often the inbox is looked at, at most. */
  inboxEveryMs: number;
}

/** Where each look at the inbox is a request of its own: it begins with all there is, so there is nothing to wait for in it. */
const INBOX_RETRY_MS = 5_000;

const USUAL: LiveOptions = { ...PACE, textEveryMs: 250, inboxEveryMs: 1_000 };

export type Live = ReturnType<typeof createLive>;

/** Everything that is being watched through this API: each conversation once, the inbox once, however many watch. */
export function createLive(gateway: Gateway, linksOf: LinksOf, options: Partial<LiveOptions> = {}) {
  const { textEveryMs, inboxEveryMs, ...pace } = { ...USUAL, ...options };
  const tails = new Map<string, Tail>();
  const viewers = new Set<Viewer>();
  let inbox: Inbox | undefined;
  let isStopped = false;

  /** One for each chain of runs: to take a finished conversation up begins another. */
  function tailOf(run: Run): Tail {
    const key = `${run.id} ${run.firstRunId}`;
    const onEnd = () => void (tails.get(key) === tail && tails.delete(key));
    const tail: Tail = tails.get(key) ?? new Tail(gateway, run, linksOf, textEveryMs, onEnd);
    tails.set(key, tail);
    return tail;
  }

  function theInbox(): Inbox {
    inbox ??= new Inbox(gateway, inboxEveryMs, () => {
      inbox = undefined;
    });
    return inbox;
  }

  async function show(
    request: IncomingMessage,
    response: ServerResponse,
    what: (viewer: Viewer) => Promise<void>,
    retryMs?: number,
  ): Promise<void> {
    if (request.method === 'HEAD' || isStopped) return void response.writeHead(200, HEADERS).end();
    const viewer = new Viewer(response, pace, retryMs);
    viewers.add(viewer);
    await what(viewer).finally(() => viewers.delete(viewer));
  }

  return {
    /** The events of a conversation, from the one after `lastEventId` on, until it is done. */
    followConversation: (
      run: Run,
      lastEventId: number | undefined,
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<void> =>
      show(request, response, (viewer) =>
        isClosed(run)
          ? showFinished(gateway, run, linksOf, lastEventId, viewer, response)
          : tailOf(run).follow(viewer, lastEventId),
      ),

    /** The inbox as it changes. */
    followInbox: (filter: InboxFilter, request: IncomingMessage, response: ServerResponse): Promise<void> =>
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
