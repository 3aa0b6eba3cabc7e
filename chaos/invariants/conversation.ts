import type { ConversationExport } from '#contract/responses';
import type { TimelineEntry } from '#contract/timeline';
import { findActionId, isFinalReply, listFinalReplies, type ObservedQuestion, type UserAction } from '../event-log';
import { isNotAccepted } from '../users/actions';
import { type ConversationEvidence, describeUserAction, findCausingAction, findExportedQuestion } from './evidence';

/** It came to an end that its play or somebody's deed explains. */
export function checkEnding({ story, documents }: ConversationEvidence): string[] {
  const [document] = documents;
  if (!document) return [];
  const { status, error } = document.conversation;
  const started = story.acts.find(({ deed }) => deed === 'start');
  const faults = [...story.troubles];
  if (status === 'running' || status === 'waiting_for_input') faults.push(`it is ${status} in the end`);
  const isCancelled = story.acts.some(({ deed }) => deed === 'cancel');
  if (status === 'cancelled' && !isCancelled) faults.push('it was cancelled by nobody');
  if (status === 'failed' && error?.code !== 'question_timed_out')
    faults.push(`it failed with ${error?.code}: ${error?.message}`);
  if (!started?.tries.some(isFinalReply)) faults.push('nobody started it');
  if (document.truncated) faults.push('its timeline is cut');
  const numbers = document.timeline.map(({ id }) => id);
  if (numbers.some((number, at) => at > 0 && number <= (numbers[at - 1] ?? 0)))
    faults.push('the numbers of its entries do not grow');
  return faults;
}

/** What was read on the way still stands. */
export function checkObservedQuestions(evidence: ConversationEvidence): string[] {
  return evidence.story.sightings.flatMap((seen) => {
    const question = findExportedQuestion(evidence, seen.conversation, seen.question);
    if (!question) return [`${seen.question} was shown, and is not there in the end`];
    if (seen.status === 'pending') return [];
    const isSame =
      seen.status === question.status && findActionId(seen.outcome) === findCausingAction(evidence, question)?.id;
    return isSame ? [] : [describeObservation(seen, question.status)];
  });
}

function describeObservation({ question, status, outcome }: ObservedQuestion, now: string): string {
  return `${question} was shown as ${status} (${JSON.stringify(outcome)}), and is ${now} in the end`;
}

/** What people said was heard once, by the model and by those who read it; and cancels had their effect. */
export function checkMessages({ story, documents }: ConversationEvidence): string[] {
  const [document] = documents;
  if (!document) return [];
  return story.acts.flatMap((act) => {
    if (act.deed === 'message') return checkMessageSeenOnce(act, document);
    return act.deed === 'cancel' ? checkCancelled(act, document) : [];
  });
}

function checkMessageSeenOnce(act: UserAction, { transcript, timeline }: ConversationExport): string[] {
  const pattern = new RegExp(`\\b${act.id}\\b`, 'g');
  const times = (value: unknown) => JSON.stringify(value).match(pattern)?.length ?? 0;
  const [heard, read] = [times(transcript), times(timeline)];
  const isTaken = listFinalReplies(act).some(({ status }) => status === 202);
  const isNot = act.tries.every(isNotAccepted);
  const wanted = isTaken ? [1] : isNot ? [0] : [0, 1];
  if (heard === read && wanted.includes(heard)) return [];
  return [`${describeUserAction(act)}: heard ${heard} times, shown ${read} times`];
}

const END_STATUSES = ['completed', 'failed', 'cancelled'];

function checkCancelled(act: UserAction, { timeline }: ConversationExport): string[] {
  const ends = timeline.flatMap((entry) =>
    entry.kind === 'status' && END_STATUSES.includes(entry.status) ? [entry] : [],
  );
  return listFinalReplies(act).flatMap((made, at, replies) => {
    if (made.status === 202) {
      const isRefusedLater = replies.slice(at + 1).some(({ status }) => status === 409);
      const isDone = isRefusedLater || ends.some(({ status }) => status === 'cancelled');
      return isDone ? [] : [`${describeUserAction(act)}: it was never cancelled`];
    }
    const wasOver = ends.some((entry) => Date.parse(entry.at) <= made.repliedAt);
    return wasOver ? [] : [`${describeUserAction(act)}: it was not finished then`];
  });
}

/** Who watched was sent everything since the first look, in order, once, over every fault. */
export function checkViewer({ story, documents }: ConversationEvidence): string[] {
  const [document] = documents;
  if (!document || !story.watched) return [];
  const { from, numbers } = story.watched;
  const last = numbers.at(-1) ?? from;
  const wanted = document.timeline
    .flatMap(listEntryNumbers)
    .filter((number) => number > from && number <= last)
    .sort((a, b) => a - b);
  return JSON.stringify(numbers) === JSON.stringify(wanted)
    ? []
    : [`who watched it from ${from} was sent ${numbers.join(' ')} in place of ${wanted.join(' ')}`];
}

function listEntryNumbers(entry: TimelineEntry): number[] {
  if (entry.kind === 'notice') return [];
  return entry.kind === 'question' && entry.settledId ? [entry.id, entry.settledId] : [entry.id];
}
