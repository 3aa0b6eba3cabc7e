import { get } from 'node:http';
import type { temporal } from '@temporalio/proto';
import { createParley } from '#client/parley';
import { parkBenchConversation, runConcurrently } from './driver';
import { createConversationIds } from './measure';
import type { BenchContext, RunningSubject } from './setup';

/** Latency and cost of following conversations live. */
export interface ViewerStats {
  /** From an event in Temporal's history to its line at the viewer, in milliseconds. */
  lags: number[];
  /** The same for a client that long-polls the history without Parley. */
  pollLags: number[];
  viewers: number;
  bytesPerViewer: number;
  eventsAdded: number;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Runs conversations one after the other, each with a viewer from start to end. */
export async function measureEventLags(
  context: BenchContext,
  { subject, child }: RunningSubject,
  conversations: number,
): Promise<Pick<ViewerStats, 'lags' | 'pollLags'>> {
  const lags: number[] = [];
  const pollLags: number[] = [];
  for (const id of createConversationIds('Parley-watched', conversations)) {
    await subject.start(id);
    const polling = longPollHistory(context, id);
    const seenAtMs = new Map<string, number>();
    for await (const streamEvent of createParley({ url: child.url }).events(id)) {
      seenAtMs.set(streamEvent.event, wallClockMs());
      const isAsked =
        streamEvent.event === 'question_pending' || (streamEvent.event === 'snapshot' && streamEvent.data.question);
      if (isAsked) await subject.answer(id);
    }
    const { events, polledAtMs } = await polling;
    for (const [name, event] of findVisibleEvents(events)) {
      const seenMs = seenAtMs.get(name);
      // Events from before the viewer connected are in its snapshot.
      if (seenMs !== undefined) lags.push(seenMs - readEventTimeMs(event));
      pollLags.push((polledAtMs.get(Number(event.eventId)) ?? Number.NaN) - readEventTimeMs(event));
    }
  }
  return { lags, pollLags };
}

/** Returns the history events that correspond to visible changes: parked, resolved, ended. */
export function findVisibleEvents(events: HistoryEvent[]): [string, HistoryEvent][] {
  const taskBefore = (index: number) =>
    events.slice(0, index).findLast((event) => event.workflowTaskCompletedEventAttributes);
  const taskAfter = (index: number) => events.slice(index).find((event) => event.workflowTaskCompletedEventAttributes);
  const timer = events.findIndex((event) => event.timerStartedEventAttributes);
  const signal = events.findIndex((event) => event.workflowExecutionSignaledEventAttributes);
  const moments: [string, HistoryEvent | undefined][] = [
    ['question_pending', taskBefore(timer)],
    ['question_answered', taskAfter(signal)],
    ['done', events.at(-1)],
  ];
  return moments.filter((moment): moment is [string, HistoryEvent] => moment[1] !== undefined);
}

export async function longPollHistory(
  { client }: BenchContext,
  workflowId: string,
  signal?: AbortSignal,
): Promise<{ events: HistoryEvent[]; polledAtMs: Map<number, number> }> {
  const events: HistoryEvent[] = [];
  const polledAtMs = new Map<number, number>();
  let nextPageToken: Uint8Array | undefined;
  do {
    const { namespace } = client.options;
    const request = { namespace, execution: { workflowId }, waitNewEvent: true, nextPageToken };
    const poll = () => client.workflowService.getWorkflowExecutionHistory(request);
    const page = await (signal ? client.withAbortSignal(signal, poll) : poll());
    for (const event of page.history?.events ?? []) {
      polledAtMs.set(Number(event.eventId), wallClockMs());
      events.push(event);
    }
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
  return { events, polledAtMs };
}

/** Measures the API's memory growth per viewer, and history events added by viewers. */
export async function measureViewerCost(
  context: BenchContext,
  { subject, child }: RunningSubject,
  { viewers, conversations, concurrency }: { viewers: number; conversations: number; concurrency: number },
): Promise<Pick<ViewerStats, 'viewers' | 'bytesPerViewer' | 'eventsAdded'>> {
  const ids = createConversationIds('Parley-viewed', conversations);
  await runConcurrently(ids, concurrency, (id) => parkBenchConversation(context, subject, id));
  const countEvents = async () => {
    const all = await Promise.all(ids.map((id) => context.client.workflow.getHandle(id).describe()));
    return all.reduce((sum, { historyLength }) => sum + historyLength, 0);
  };
  // One viewer of each first, so that costs per conversation are not counted as costs per viewer.
  const firstViewers = await Promise.all(ids.map((id) => openStreamViewer(child.url, id)));
  const before = { ...(await child.readUsage()), events: await countEvents() };
  const viewedIds = Array.from({ length: viewers }, (_, n) => ids[n % ids.length] ?? '');
  const opened = await runConcurrently(viewedIds, concurrency, (id) => openStreamViewer(child.url, id));
  const after = { ...(await child.readUsage()), events: await countEvents() };
  for (const { disconnect } of [...firstViewers, ...opened]) disconnect();
  return {
    viewers,
    bytesPerViewer: (after.heapBytes - before.heapBytes) / viewers,
    eventsAdded: after.events - before.events,
  };
}

/** A viewer of a live event stream. */
export interface StreamViewer {
  disconnect(): void;
  /** When each kind of event first arrived. Resolves once the stream has ended. */
  firstSeenAtMs: Promise<Map<string, number>>;
}

/** Opens a stream; resolves when its first data arrives. */
export function openStreamViewer(url: string, id: string): Promise<StreamViewer> {
  return new Promise((resolve, reject) => {
    const seenAtMs = new Map<string, number>();
    let partialLine = '';
    const request = get(`${url}/v1/conversations/${id}/events`, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${id}: a viewer got ${response.statusCode}.`));
      const ended = new Promise<Map<string, number>>((end) => response.once('close', () => end(seenAtMs)));
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (partialLine + text).split('\n');
        partialLine = lines.pop() ?? '';
        for (const line of lines) {
          const name = /^event: ?(\w+)/.exec(line)?.[1];
          if (name && !seenAtMs.has(name)) seenAtMs.set(name, wallClockMs());
        }
        resolve({ firstSeenAtMs: ended, disconnect: () => void request.destroy() });
      });
      response.on('error', () => undefined);
    });
    request.on('error', reject);
  });
}

export function readEventTimeMs({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds) * 1_000 + Number(eventTime?.nanos) / 1e6;
}

/** Returns wall-clock time, as in the server's events, with sub-millisecond precision. */
function wallClockMs(): number {
  return performance.timeOrigin + performance.now();
}
