import { isExecutionNotFound, isTemporalUnavailable } from '#api/temporal/errors';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { HistoryPage } from '#api/temporal/history';
import { IMMEDIATELY, PollLoop } from './poll-loop';

export interface HistoryListener {
  /** Called after each read, with the current run and a summary of its history. */
  onRead(run: Execution, summary: HistorySummary): void;
  /** Called when the run no longer exists. */
  onGone(): void;
}

/**
 * Follows the history of a conversation, across continue-as-new, until it closes: one long poll at a time. Keeps
 * retrying while Temporal is down.
 */
export class HistoryPoller {
  private readonly loop: PollLoop;
  private poll: AbortController | undefined;
  private token: Uint8Array | undefined;
  private summary = EMPTY_SUMMARY;
  private knownEvents: number;

  constructor(
    private readonly gateway: TemporalGateway,
    private run: Execution,
    private readonly listener: HistoryListener,
  ) {
    this.knownEvents = run.historyLength;
    this.loop = new PollLoop(
      () => this.readMore(),
      (error) => this.onError(error),
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
    // A new one for each poll: the SDK never removes its listener from a signal.
    this.poll = new AbortController();
    const { events, token } = await this.gateway.pollHistory(this.run, this.token, this.poll.signal);
    if (this.loop.isStopped) return IMMEDIATELY;
    this.summary = reduceHistoryEvents(this.summary, events, this.knownEvents);
    this.token = token;
    const { ending } = this.summary;
    if (ending === 'closed') this.loop.stop();
    else if (ending) this.continueIn(ending.continuedAsRunId);
    else if (!token?.length) throw new Error('The history of a running workflow has no end.');
    this.listener.onRead(this.run, this.summary);
    return IMMEDIATELY;
  }

  private continueIn(runId: string): void {
    this.run = { ...this.run, runId };
    this.token = undefined;
    this.knownEvents = 0;
    this.summary = { ...EMPTY_SUMMARY, hasChanges: true };
  }

  private onError(error: unknown): void {
    if (isExecutionNotFound(error)) return this.listener.onGone();
    if (isTemporalUnavailable(error)) return;
    // The page token is invalid: start at the first event, without reporting known events as changes.
    this.knownEvents = Math.max(this.knownEvents, this.summary.events);
    this.token = undefined;
    this.summary = EMPTY_SUMMARY;
  }
}

type Event = HistoryPage['events'][number];

/** A summary of a run's history for viewers. */
export interface HistorySummary {
  /** Number of events so far. */
  events: number;
  /** The model call in progress: the event that scheduled it, and its activity id. */
  modelCall: { scheduledEventId: number; id: string } | undefined;
  /** A new event may have changed the conversation. */
  hasChanges: boolean;
  ending: 'closed' | { continuedAsRunId: string } | undefined;
}

export const EMPTY_SUMMARY: HistorySummary = { events: 0, modelCall: undefined, hasChanges: false, ending: undefined };

/**
 * Adds events to a summary. Only a workflow task completed after `knownEvents`, or the end of the run, counts as a
 * change.
 */
export function reduceHistoryEvents(summary: HistorySummary, events: Event[], knownEvents: number): HistorySummary {
  return events.reduce<HistorySummary>(
    (before, event) => {
      const number = Number(event.eventId);
      const ending = endingOf(event) ?? before.ending;
      const hasChanges = before.hasChanges || (number > knownEvents && (isChange(event) || ending !== undefined));
      return { events: number, modelCall: modelCallAfter(before.modelCall, event), hasChanges, ending };
    },
    { ...summary, hasChanges: false },
  );
}

function isChange(event: Event): boolean {
  return Boolean(event.workflowTaskCompletedEventAttributes);
}

function endingOf(event: Event): HistorySummary['ending'] {
  const next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  if (next) return { continuedAsRunId: next };
  const isClosed =
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionCanceledEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes;
  return isClosed ? 'closed' : undefined;
}

function modelCallAfter(before: HistorySummary['modelCall'], event: Event): HistorySummary['modelCall'] {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled?.activityType?.name === 'callModel')
    return { scheduledEventId: Number(event.eventId), id: scheduled.activityId ?? '' };
  const closed =
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes;
  return closed && Number(closed.scheduledEventId) === before?.scheduledEventId ? undefined : before;
}
