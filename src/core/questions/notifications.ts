import type { Question, QuestionNotification } from '#contract/question';
import { addTimelineEntry, type ConversationState, toIsoTime } from '#core/conversation/state';
import { canonicalJson } from '#core/digest';
import { audienceBytes } from '#core/search-attributes';
import { questionsInTimeline } from '#core/timeline';
import { dueNotifications, type PlannedNotification } from './schedule';

/** Begin to send what is due. Those a question is escalated to may see the conversation and answer from now on. */
export function startDueNotifications(state: ConversationState, now: number): PlannedNotification[] {
  const due = dueNotifications(state, now);
  if (due.length === 0) return [];
  // What is past and not due was slept through, and is not sent any more.
  const planned = (state.notificationPlan ?? []).filter(
    (notice) => notice.sending || due.includes(notice) || Date.parse(notice.at) > now,
  );
  state.notificationPlan = planned.map((notice) => (due.includes(notice) ? { ...notice, sending: true } : notice));
  return due.map((notice) =>
    grantAccess(state, notice.to) ? notice : { ...notice, what: `${notice.what}: ${ACCESS_NOT_GRANTED}` },
  );
}

/** Temporal indexes an owner and all names as one value of 2,048 bytes at most. */
const MAX_AUDIENCE_BYTES = 1_900;

const ACCESS_NOT_GRANTED = 'they cannot be let in, there are too many names already';

/** False where they would be too many. */
function grantAccess(state: ConversationState, names: string[]): boolean {
  const { assignees } = state.access;
  const added = names.filter((name) => !assignees.includes(name));
  if (added.length === 0) return true;
  const access = { ...state.access, assignees: [...assignees, ...added] };
  if (audienceBytes({ access, salt: state.salt }) > MAX_AUDIENCE_BYTES) return false;
  state.access = access;
  return true;
}

/** What became of a notice: it shows in its question, and in the timeline. */
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

/** Not sent, as the question was settled first. */
export function dropNotification(state: ConversationState, questionId: string, number: number): void {
  if (state.question?.id !== questionId) return;
  state.notificationPlan = state.notificationPlan?.filter((notice) => notice.number !== number);
}

/** A new run has sent nothing yet. Whoever receives a notice twice can tell by its id. */
export function resumeNotifications(state: ConversationState): void {
  if (!state.notificationPlan?.some(({ sending: begun }) => begun)) return;
  state.notificationPlan = state.notificationPlan.map(({ sending: begun, ...notice }) =>
    begun ? { ...notice, maybeSent: true } : notice,
  );
}

/** A copy of the open question somewhere outside, and what it is found by there. */
export interface DeliveredCopy {
  number: number;
  channel: string;
  /** Empty where it is not known whether it is there. */
  ref: Record<string, string>;
}

/** Remember where a copy is, for when the question is settled. A reminder of it is no other. */
export function rememberCopy(state: ConversationState, questionId: string, copy: DeliveredCopy): void {
  const copies = state.deliveredCopies?.questionId === questionId ? state.deliveredCopies.copies : [];
  const isKnown = copies.some(
    ({ channel, ref }) => channel === copy.channel && canonicalJson(ref) === canonicalJson(copy.ref),
  );
  state.deliveredCopies = { questionId, copies: isKnown ? copies : [...copies, copy] };
}

/** The newest copy at the same place that is sure to be there, for a reminder to follow up on. */
export function findCopyAt(state: ConversationState, questionId: string, channel: string): DeliveredCopy | undefined {
  if (state.deliveredCopies?.questionId !== questionId) return undefined;
  const found = state.deliveredCopies.copies.filter(
    ({ channel: destination, ref }) => destination === channel && Object.keys(ref).length > 0,
  );
  return found.at(-1);
}

/** A settled question and the copies that still show it as open, given out once; undefined while the question is open. */
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

/**
 * Where a notice goes, as it is written: a channel, and where on it. `slack:#ops`, `email:ops@example.com`, `webhook`.
 */
export function channelName(destination: string): string {
  return destination.split(':', 1)[0] ?? '';
}

/** `#ops` of `slack:#ops`; empty for a channel that leads to one place only. */
export function channelTarget(destination: string): string {
  const separator = destination.indexOf(':');
  return separator < 0 ? '' : destination.slice(separator + 1);
}
