import { get } from 'node:http';
import type { temporal } from '@temporalio/proto';
import { createParley } from '#client/parley';
import { parkBenchConversation, runConcurrently } from './driver';
import { createConversationIds } from './measure';
import type { BenchContext, RunningSubject } from './setup';

/** What it takes to follow conversations live. */
export interface ViewerStats {
  /** From an event in Temporal's history to its line at the reader, in milliseconds. */
  lags: number[];
  /** The same to somebody who long-polls that history without Parley. */
  pollLags: number[];
  viewers: number;
  bytesPerViewer: number;
  eventsAdded: number;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** So many conversations, one after the other, each with a reader from its start to its end. */
export async function measureEventLags(
  stage: BenchContext,
  { side, child }: RunningSubject,
  conversations: number,
): Promise<Pick<ViewerStats, 'lags' | 'pollLags'>> {
  const lags: number[] = [];
  const pollLags: number[] = [];
  for (const id of createConversationIds('Parley-watched', conversations)) {
    await side.start(id);
    const polling = longPollHistory(stage, id);
    const seen = new Map<string, number>();
    for await (const told of createParley({ url: child.url }).events(id)) {
      seen.set(told.event, wallClockMs());
      const isAsked = told.event === 'question_pending' || (told.event === 'snapshot' && told.data.question);
      if (isAsked) await side.answer(id);
    }
    const { events, polled } = await polling;
    for (const [name, made] of findVisibleEvents(events)) {
      const at = seen.get(name);
      // What was there before the reader came is in its snapshot.
      if (at !== undefined) lags.push(at - readEventTimeMs(made));
      pollLags.push((polled.get(Number(made.eventId)) ?? Number.NaN) - readEventTimeMs(made));
    }
  }
  return { lags, pollLags };
}

/** The events of the history that a person is shown: parked, settled, ended. */
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
  unwanted?: AbortSignal,
): Promise<{ events: HistoryEvent[]; polled: Map<number, number> }> {
  const events: HistoryEvent[] = [];
  const polled = new Map<number, number>();
  let nextPageToken: Uint8Array | undefined;
  do {
    const { namespace } = client.options;
    const request = { namespace, execution: { workflowId }, waitNewEvent: true, nextPageToken };
    const poll = () => client.workflowService.getWorkflowExecutionHistory(request);
    const page = await (unwanted ? client.withAbortSignal(unwanted, poll) : poll());
    for (const event of page.history?.events ?? []) {
      polled.set(Number(event.eventId), wallClockMs());
      events.push(event);
    }
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
  return { events, polled };
}

/** By how much the API grows with each viewer, and Temporal's history with all of them. */
export async function measureViewerCost(
  stage: BenchContext,
  { side, child }: RunningSubject,
  { viewers, conversations, concurrency }: { viewers: number; conversations: number; concurrency: number },
): Promise<Pick<ViewerStats, 'viewers' | 'bytesPerViewer' | 'eventsAdded'>> {
  const ids = createConversationIds('Parley-viewed', conversations);
  await runConcurrently(ids, concurrency, (id) => parkBenchConversation(stage, side, id));
  const length = async () => {
    const all = await Promise.all(ids.map((id) => stage.client.workflow.getHandle(id).describe()));
    return all.reduce((sum, { historyLength }) => sum + historyLength, 0);
  };
  // One of each first, so that what a conversation costs is not counted as what a viewer does.
  const first = await Promise.all(ids.map((id) => openStreamViewer(child.url, id)));
  const before = { ...(await child.used()), events: await length() };
  const seats = Array.from({ length: viewers }, (_, n) => ids[n % ids.length] ?? '');
  const opened = await runConcurrently(seats, concurrency, (id) => openStreamViewer(child.url, id));
  const after = { ...(await child.used()), events: await length() };
  for (const { leave } of [...first, ...opened]) leave();
  return {
    viewers,
    bytesPerViewer: (after.held - before.held) / viewers,
    eventsAdded: after.events - before.events,
  };
}

/** Somebody who watches. */
export interface StreamViewer {
  leave(): void;
  /** When each kind of event came first, once the stream has ended. */
  ended: Promise<Map<string, number>>;
}

/** Opens a stream and resolves when its first event is there. */
export function openStreamViewer(url: string, id: string): Promise<StreamViewer> {
  return new Promise((resolve, reject) => {
    const seen = new Map<string, number>();
    let rest = '';
    const request = get(`${url}/v1/conversations/${id}/events`, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${id}: ${response.statusCode} for a viewer.`));
      const ended = new Promise<Map<string, number>>((end) => response.once('close', () => end(seen)));
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const name = /^event: ?(\w+)/.exec(line)?.[1];
          if (name && !seen.has(name)) seen.set(name, wallClockMs());
        }
        resolve({ ended, leave: () => void request.destroy() });
      });
      response.on('error', () => undefined);
    });
    request.on('error', reject);
  });
}

export function readEventTimeMs({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds) * 1_000 + Number(eventTime?.nanos) / 1e6;
}

/** Of the wall, as the server's events are, and finer than a millisecond. */
function wallClockMs(): number {
  return performance.timeOrigin + performance.now();
}
