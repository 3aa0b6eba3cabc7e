import type { ConversationExport } from '#contract/responses';
import type { TimelineEntry } from '#contract/timeline';
import { findActionId, isFinalReply, listFinalReplies, type ObservedQuestion, type UserAction } from '../event-log';
import { isNotAccepted } from '../users/actions';
import { type ConversationEvidence, describeUserAction, findCausingAction, findExportedQuestion } from './evidence';

/** Checks that the conversation ended in a way that its scenario or a user's action explains. */
export function checkEnding({ log, documents }: ConversationEvidence): string[] {
  const [document] = documents;
  if (!document) return [];
  const { status, error } = document.conversation;
  const started = log.actions.find(({ kind }) => kind === 'start');
  const problems = [...log.problems];
  if (status === 'running' || status === 'waiting_for_input') problems.push(`it ends as ${status}`);
  const isCancelled = log.actions.some(({ kind }) => kind === 'cancel');
  if (status === 'cancelled' && !isCancelled) problems.push('it was cancelled, but no user cancelled it');
  if (status === 'failed' && error?.code !== 'question_timed_out')
    problems.push(`it failed with ${error?.code}: ${error?.message}`);
  if (!started?.attempts.some(isFinalReply)) problems.push('no user started it');
  if (document.truncated) problems.push('its timeline is truncated');
  const numbers = document.timeline.map(({ id }) => id);
  if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0)))
    problems.push('the ids of its entries do not increase');
  return problems;
}

/** Checks that what was read during the run is consistent with the final state. */
export function checkObservedQuestions(evidence: ConversationEvidence): string[] {
  return evidence.log.observations.flatMap((seen) => {
    const question = findExportedQuestion(evidence, seen.conversation, seen.question);
    if (!question) return [`${seen.question} was shown, but does not exist in the end`];
    if (seen.status === 'pending') return [];
    const isSame =
      seen.status === question.status && findActionId(seen.outcome) === findCausingAction(evidence, question)?.id;
    return isSame ? [] : [describeObservation(seen, question.status)];
  });
}

function describeObservation({ question, status, outcome }: ObservedQuestion, now: string): string {
  return `${question} was shown as ${status} (${JSON.stringify(outcome)}), but is ${now} in the end`;
}

/** Checks that each user message reached the model and the timeline exactly once, and that cancels took effect. */
export function checkMessages({ log, documents }: ConversationEvidence): string[] {
  const [document] = documents;
  if (!document) return [];
  return log.actions.flatMap((action) => {
    if (action.kind === 'message') return checkMessageSeenOnce(action, document);
    return action.kind === 'cancel' ? checkCancelled(action, document) : [];
  });
}

function checkMessageSeenOnce(action: UserAction, { transcript, timeline }: ConversationExport): string[] {
  const pattern = new RegExp(`\\b${action.id}\\b`, 'g');
  const countOccurrences = (value: unknown) => JSON.stringify(value).match(pattern)?.length ?? 0;
  const [timesInTranscript, timesInTimeline] = [countOccurrences(transcript), countOccurrences(timeline)];
  const wasAccepted = listFinalReplies(action).some(({ status }) => status === 202);
  const wasRefused = action.attempts.every(isNotAccepted);
  const wanted = wasAccepted ? [1] : wasRefused ? [0] : [0, 1];
  if (timesInTranscript === timesInTimeline && wanted.includes(timesInTranscript)) return [];
  return [
    `${describeUserAction(action)}: ${timesInTranscript} times in the transcript, ${timesInTimeline} times in the timeline`,
  ];
}

const END_STATUSES = ['completed', 'failed', 'cancelled'];

function checkCancelled(action: UserAction, { timeline }: ConversationExport): string[] {
  const ends = timeline.flatMap((entry) =>
    entry.kind === 'status' && END_STATUSES.includes(entry.status) ? [entry] : [],
  );
  return listFinalReplies(action).flatMap((reply, index, replies) => {
    if (reply.status === 202) {
      const isRefusedLater = replies.slice(index + 1).some(({ status }) => status === 409);
      const isDone = isRefusedLater || ends.some(({ status }) => status === 'cancelled');
      return isDone ? [] : [`${describeUserAction(action)}: it was never cancelled`];
    }
    const wasOver = ends.some((entry) => Date.parse(entry.at) <= reply.repliedAt);
    return wasOver ? [] : [`${describeUserAction(action)}: it had not finished by then`];
  });
}

/** Checks that a live viewer received every entry since its snapshot, in order and once, despite all faults. */
export function checkViewer({ log, documents }: ConversationEvidence): string[] {
  const [document] = documents;
  if (!document || !log.watched) return [];
  const { from, numbers } = log.watched;
  const last = numbers.at(-1) ?? from;
  const wanted = document.timeline
    .flatMap(listEntryNumbers)
    .filter((number) => number > from && number <= last)
    .sort((a, b) => a - b);
  return JSON.stringify(numbers) === JSON.stringify(wanted)
    ? []
    : [`an event stream from ${from} got ${numbers.join(' ')} instead of ${wanted.join(' ')}`];
}

function listEntryNumbers(entry: TimelineEntry): number[] {
  if (entry.kind === 'notice') return [];
  return entry.kind === 'question' && entry.settledId ? [entry.id, entry.settledId] : [entry.id];
}
