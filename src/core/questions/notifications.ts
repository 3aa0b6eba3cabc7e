import type { Question, QuestionNotification } from '#contract/question';
import { addTimelineEntry, type ConversationState, toIsoTime } from '#core/conversation/state';
import { canonicalJson } from '#core/digest';
import { audienceBytes } from '#core/search-attributes';
import { questionsInTimeline } from '#core/timeline';
import { dueNotifications, type PlannedNotification } from './schedule';

/** Starts the notifications that are due. People a question is escalated to can see and answer it from now on. */
export function startDueNotifications(state: ConversationState, now: number): PlannedNotification[] {
  const due = dueNotifications(state, now);
  if (due.length === 0) return [];
  // Notifications that are past but not due were missed, and are no longer sent.
  const planned = (state.notificationPlan ?? []).filter(
    (notice) => notice.sending || due.includes(notice) || Date.parse(notice.at) > now,
  );
  state.notificationPlan = planned.map((notice) => (due.includes(notice) ? { ...notice, sending: true } : notice));
  return due.map((notice) =>
    grantAccess(state, notice.to) ? notice : { ...notice, what: `${notice.what}: ${ACCESS_NOT_GRANTED}` },
  );
}

/** Temporal indexes the owner and all names as one value of at most 2,048 bytes. */
const MAX_AUDIENCE_BYTES = 1_900;

const ACCESS_NOT_GRANTED = 'access not granted, the conversation has too many names';

/** Returns false if there would be too many names. */
function grantAccess(state: ConversationState, names: string[]): boolean {
  const { assignees } = state.access;
  const added = names.filter((name) => !assignees.includes(name));
  if (added.length === 0) return true;
  const access = { ...state.access, assignees: [...assignees, ...added] };
  if (audienceBytes({ access, salt: state.salt }) > MAX_AUDIENCE_BYTES) return false;
  state.access = access;
  return true;
}

/** Records the result of a notification in its question and in the timeline. */
export function recordNotification(
  state: ConversationState,
  questionId: string,
  { number, channel, what }: PlannedNotification,
  failure: string | undefined,
  now: number,
): void {
  dropNotification(state, questionId, number);
  const description = failure === undefined ? what : `${what}: could not be sent: ${failure}`;
  const notice: QuestionNotification = { at: toIsoTime(now), channel, what: description };
  const withNotice = (question: Question): Question =>
    question.id === questionId ? { ...question, notices: [...question.notices, notice] } : question;
  state.question = state.question && withNotice(state.question);
  state.settledQuestion = state.settledQuestion && withNotice(state.settledQuestion);
  state.entries = state.entries.map((entry) =>
    entry.kind === 'question' ? { ...entry, question: withNotice(entry.question) } : entry,
  );
  addTimelineEntry(state, { kind: 'notice', channel, what: `${questionId}: ${description}` }, now);
}

/** Drops a notification that was not sent because the question was closed first. */
export function dropNotification(state: ConversationState, questionId: string, number: number): void {
  if (state.question?.id !== questionId) return;
  state.notificationPlan = state.notificationPlan?.filter((notice) => notice.number !== number);
}

/** Marks notifications in flight for the new run. Receivers recognize a repeat by its id. */
export function resumeNotifications(state: ConversationState): void {
  if (!state.notificationPlan?.some(({ sending: begun }) => begun)) return;
  state.notificationPlan = state.notificationPlan.map(({ sending: begun, ...notice }) =>
    begun ? { ...notice, maybeSent: true } : notice,
  );
}

/** A copy of the question that was delivered to a channel, and the reference to find it there. */
export interface DeliveredCopy {
  number: number;
  channel: string;
  /** Empty if it is unknown whether the copy exists. */
  ref: Record<string, string>;
}

/** Remembers a delivered copy, to update it when the question is closed. A reminder may have the same reference. */
export function rememberCopy(state: ConversationState, questionId: string, copy: DeliveredCopy): void {
  const copies = state.deliveredCopies?.questionId === questionId ? state.deliveredCopies.copies : [];
  const isKnown = copies.some(
    ({ channel, ref }) => channel === copy.channel && canonicalJson(ref) === canonicalJson(copy.ref),
  );
  state.deliveredCopies = { questionId, copies: isKnown ? copies : [...copies, copy] };
}

/** The newest copy known to exist at a destination, for a reminder to refer to. */
export function findCopyAt(state: ConversationState, questionId: string, channel: string): DeliveredCopy | undefined {
  if (state.deliveredCopies?.questionId !== questionId) return undefined;
  const found = state.deliveredCopies.copies.filter(
    ({ channel: destination, ref }) => destination === channel && Object.keys(ref).length > 0,
  );
  return found.at(-1);
}

/** Takes a closed question and its copies that still show it as open, once; undefined while the question is open. */
export function takeSettledCopies(
  state: ConversationState,
): { question: Question; copies: DeliveredCopy[] } | undefined {
  const { deliveredCopies: delivered } = state;
  if (!delivered || delivered.questionId === state.question?.id) return undefined;
  state.deliveredCopies = undefined;
  const question = findSettledQuestion(state, delivered.questionId);
  return question && { question, copies: delivered.copies };
}

export function findSettledQuestion(state: ConversationState, questionId: string): Question | undefined {
  const known = [state.settledQuestion, ...questionsInTimeline(state.entries)];
  return known.find((question) => question?.id === questionId && question.status !== 'pending') ?? undefined;
}

/** The channel of a destination such as `slack:#ops`, `email:ops@example.com` or `webhook`. */
export function channelName(destination: string): string {
  return destination.split(':', 1)[0] ?? '';
}

/** `#ops` of `slack:#ops`; empty for a channel without targets. */
export function channelTarget(destination: string): string {
  const separator = destination.indexOf(':');
  return separator < 0 ? '' : destination.slice(separator + 1);
}
