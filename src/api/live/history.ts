import type { HistoryPage } from '#api/histories';

type Event = HistoryPage['events'][number];

/** What the events of a run say to somebody who watches it. */
export interface Seen {
  /** How many there are so far. */
  events: number;
  /** The call of the model that is under way: the event it was scheduled by, and its id. */
  thinking: { event: number; id: string } | undefined;
  /** Something new that can have changed the conversation. */
  isNews: boolean;
  ending: 'closed' | { rolledOverTo: string } | undefined;
}

export const NOTHING_SEEN: Seen = { events: 0, thinking: undefined, isNews: false, ending: undefined };

/** Read on. Only a completed workflow task changes a conversation, and only those after `known` are news. */
export function readOn(seen: Seen, events: Event[], known: number): Seen {
  return events.reduce<Seen>(
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

function endingOf(event: Event): Seen['ending'] {
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

function thinkingAfter(before: Seen['thinking'], event: Event): Seen['thinking'] {
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
