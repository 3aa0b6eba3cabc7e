import type { HistoryPage } from '#api/temporal/history';

type Event = HistoryPage['events'][number];

export interface HistorySummary {
  events: number;
  /** The model call in progress: the event that scheduled it, and its activity id. */
  modelCall: { scheduledEventId: number; id: string } | undefined;
  /** A new event may have changed the conversation. */
  hasChanges: boolean;
  ending: 'closed' | { continuedAsRunId: string } | undefined;
}

export const EMPTY_SUMMARY: HistorySummary = { events: 0, modelCall: undefined, hasChanges: false, ending: undefined };

/** Adds events. Only a workflow task completed after `knownEvents`, or the end of the run, is a change. */
export function reduceHistoryEvents(summary: HistorySummary, events: Event[], knownEvents: number): HistorySummary {
  return events.reduce<HistorySummary>(
    (before, event) => {
      const number = Number(event.eventId);
      const ending = endingOf(event) ?? before.ending;
      const isChange = Boolean(event.workflowTaskCompletedEventAttributes) || ending !== undefined;
      const hasChanges = before.hasChanges || (isChange && number > knownEvents);
      return { events: number, modelCall: modelCallAfter(before.modelCall, event), hasChanges, ending };
    },
    { ...summary, hasChanges: false },
  );
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
