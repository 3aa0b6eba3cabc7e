import { get } from 'node:http';
import type { temporal } from '@temporalio/proto';
import { createParley } from '#client/parley';
import { inParallel, park, type Stage } from './converse';
import { type Contestant, idsOf } from './measure';

/** What it takes to follow conversations live. */
export interface Watching {
  /** From an event in Temporal's history to its line at the reader, in milliseconds. */
  lags: number[];
  /** The same to somebody who long-polls that history without Parley. */
  pollLags: number[];
  viewers: number;
  bytesPerViewer: number;
  eventsAdded: number;
}

type Event = temporal.api.history.v1.IHistoryEvent;

/** So many conversations, one after the other, each with a reader from its start to its end. */
export async function lagsOf(
  stage: Stage,
  { side, child }: Contestant,
  conversations: number,
): Promise<Pick<Watching, 'lags' | 'pollLags'>> {
  const lags: number[] = [];
  const pollLags: number[] = [];
  for (const id of idsOf('Parley-watched', conversations)) {
    await side.start(id);
    const polling = pollHistory(stage, id);
    const seen = new Map<string, number>();
    for await (const told of createParley({ url: child.url }).events(id)) {
      seen.set(told.event, now());
      const isAsked = told.event === 'question_pending' || (told.event === 'snapshot' && told.data.question);
      if (isAsked) await side.answer(id);
    }
    const { events, polled } = await polling;
    for (const [name, made] of momentsOf(events)) {
      const at = seen.get(name);
      // What was there before the reader came is in its snapshot.
      if (at !== undefined) lags.push(at - timeOf(made));
      pollLags.push((polled.get(Number(made.eventId)) ?? Number.NaN) - timeOf(made));
    }
  }
  return { lags, pollLags };
}

/** The events of the history that a person is shown: parked, settled, ended. */
export function momentsOf(events: Event[]): [string, Event][] {
  const taskBefore = (index: number) =>
    events.slice(0, index).findLast((event) => event.workflowTaskCompletedEventAttributes);
  const taskAfter = (index: number) =>
    events.slice(index).find((event) => event.workflowTaskCompletedEventAttributes);
  const timer = events.findIndex((event) => event.timerStartedEventAttributes);
  const signal = events.findIndex((event) => event.workflowExecutionSignaledEventAttributes);
  const moments: [string, Event | undefined][] = [
    ['question_pending', taskBefore(timer)],
    ['question_answered', taskAfter(signal)],
    ['done', events.at(-1)],
  ];
  return moments.filter((moment): moment is [string, Event] => moment[1] !== undefined);
}

export async function pollHistory(
  { client }: Stage,
  workflowId: string,
  unwanted?: AbortSignal,
): Promise<{ events: Event[]; polled: Map<number, number> }> {
  const events: Event[] = [];
  const polled = new Map<number, number>();
  let nextPageToken: Uint8Array | undefined;
  do {
    const { namespace } = client.options;
    const request = { namespace, execution: { workflowId }, waitNewEvent: true, nextPageToken };
    const poll = () => client.workflowService.getWorkflowExecutionHistory(request);
    const page = await (unwanted ? client.withAbortSignal(unwanted, poll) : poll());
    for (const event of page.history?.events ?? []) {
      polled.set(Number(event.eventId), now());
      events.push(event);
    }
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
  return { events, polled };
}

/** By how much the API grows with each viewer, and Temporal's history with all of them. */
export async function viewersOf(
  stage: Stage,
  { side, child }: Contestant,
  { viewers, conversations, concurrency }: { viewers: number; conversations: number; concurrency: number },
): Promise<Pick<Watching, 'viewers' | 'bytesPerViewer' | 'eventsAdded'>> {
  const ids = idsOf('Parley-viewed', conversations);
  await inParallel(ids, concurrency, (id) => park(stage, side, id));
  const length = async () => {
    const all = await Promise.all(ids.map((id) => stage.client.workflow.getHandle(id).describe()));
    return all.reduce((sum, { historyLength }) => sum + historyLength, 0);
  };
  // One of each first, so that what a conversation costs is not counted as what a viewer does.
  const first = await Promise.all(ids.map((id) => view(child.url, id)));
  const before = { ...(await child.used()), events: await length() };
  const seats = Array.from({ length: viewers }, (_, n) => ids[n % ids.length] ?? '');
  const opened = await inParallel(seats, concurrency, (id) => view(child.url, id));
  const after = { ...(await child.used()), events: await length() };
  for (const { leave } of [...first, ...opened]) leave();
  return {
    viewers,
    bytesPerViewer: (after.held - before.held) / viewers,
    eventsAdded: after.events - before.events,
  };
}

/** Somebody who watches. */
export interface View {
  leave(): void;
  /** When each kind of event came first, once the stream has ended. */
  ended: Promise<Map<string, number>>;
}

/** Opens a stream and resolves when its first event is there. */
export function view(url: string, id: string): Promise<View> {
  return new Promise((resolve, reject) => {
    const seen = new Map<string, number>();
    let rest = '';
    const request = get(`${url}/v1/conversations/${id}/events`, { agent: false }, (response) => {
      if (response.statusCode !== 200)
        return reject(new Error(`${id}: ${response.statusCode} for a viewer.`));
      const ended = new Promise<Map<string, number>>((end) => response.once('close', () => end(seen)));
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const name = /^event: ?(\w+)/.exec(line)?.[1];
          if (name && !seen.has(name)) seen.set(name, now());
        }
        resolve({ ended, leave: () => void request.destroy() });
      });
      response.on('error', () => undefined);
    });
    request.on('error', reject);
  });
}

export function timeOf({ eventTime }: Event): number {
  return Number(eventTime?.seconds) * 1_000 + Number(eventTime?.nanos) / 1e6;
}

/** Of the wall, as the server's events are, and finer than a millisecond. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
