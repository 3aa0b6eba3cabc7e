import { isExecutionNotFound, isTemporalUnavailable } from '#api/temporal/errors';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { HistoryPage } from '#api/temporal/history';
import { IMMEDIATELY, PollLoop } from './poll-loop';

export interface HistoryListener {
  /** More of the history was read: which run it has come to, and how that stands. */
  onRead(run: Execution, seen: HistorySummary): void;
  /** There is no such run any more. */
  onGone(): void;
}

/**
 * Follows the history of a conversation as it grows, over roll-overs, until it closes: one long poll at a time. Temporal
 * may be down for as long as it likes.
 */
export class HistoryPoller {
  private readonly loop: PollLoop;
  private poll: AbortController | undefined;
  private token: Uint8Array | undefined;
  private seen = EMPTY_SUMMARY;
  private known: number;

  constructor(
    private readonly gateway: TemporalGateway,
    private run: Execution,
    private readonly following: HistoryListener,
  ) {
    this.known = run.historyLength;
    this.loop = new PollLoop(
      () => this.readMore(),
      (error) => this.bear(error),
    );
  }

  start(): void {
    void this.loop.run();
  }

  stop(): void {
    this.loop.stop();
    this.poll?.abort();
  }

  private async readMore(): Promise<number> {
    // One for each poll: the SDK never takes its ear off a signal.
    this.poll = new AbortController();
    const { events, token } = await this.gateway.awaitHistory(this.run, this.token, this.poll.signal);
    if (this.loop.isStopped) return IMMEDIATELY;
    this.seen = reduceHistoryEvents(this.seen, events, this.known);
    this.token = token;
    const { ending } = this.seen;
    if (ending === 'closed') this.loop.stop();
    else if (ending) this.rollOver(ending.rolledOverTo);
    else if (!token?.length) throw new Error('The history of a running workflow has no end.');
    this.following.onRead(this.run, this.seen);
    return IMMEDIATELY;
  }

  private rollOver(runId: string): void {
    this.run = { ...this.run, runId };
    this.token = undefined;
    this.known = 0;
    this.seen = { ...EMPTY_SUMMARY, isNews: true };
  }

  private bear(error: unknown): void {
    if (isExecutionNotFound(error)) return this.following.onGone();
    if (isTemporalUnavailable(error)) return;
    // The place is no good: from the first event again, without making news of what was seen.
    this.known = Math.max(this.known, this.seen.events);
    this.token = undefined;
    this.seen = EMPTY_SUMMARY;
  }
}

type Event = HistoryPage['events'][number];

/** What the events of a run say to somebody who watches it. */
export interface HistorySummary {
  /** How many there are so far. */
  events: number;
  /** The call of the model that is under way: the event it was scheduled by, and its id. */
  thinking: { event: number; id: string } | undefined;
  /** Something new that can have changed the conversation. */
  isNews: boolean;
  ending: 'closed' | { rolledOverTo: string } | undefined;
}

export const EMPTY_SUMMARY: HistorySummary = { events: 0, thinking: undefined, isNews: false, ending: undefined };

/** Read on. Only a completed workflow task changes a conversation, and only those after `known` are news. */
export function reduceHistoryEvents(seen: HistorySummary, events: Event[], known: number): HistorySummary {
  return events.reduce<HistorySummary>(
    (before, event) => {
      const number = Number(event.eventId);
      const ending = endingOf(event) ?? before.ending;
      const isNews = before.isNews || (number > known && (isChange(event) || ending !== undefined));
      return { events: number, thinking: thinkingAfter(before.thinking, event), isNews, ending };
    },
    { ...seen, isNews: false },
  );
}

function isChange(event: Event): boolean {
  return Boolean(event.workflowTaskCompletedEventAttributes);
}

function endingOf(event: Event): HistorySummary['ending'] {
  const next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  if (next) return { rolledOverTo: next };
  const isClosed =
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionCanceledEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes;
  return isClosed ? 'closed' : undefined;
}

function thinkingAfter(before: HistorySummary['thinking'], event: Event): HistorySummary['thinking'] {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled?.activityType?.name === 'think')
    return { event: Number(event.eventId), id: scheduled.activityId ?? '' };
  const over =
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes;
  return over && Number(over.scheduledEventId) === before?.event ? undefined : before;
}
