import type { Notice, Question } from '#contract/question';
import { audienceBytes } from './audience';
import { dueNotices, type PlannedNotice } from './schedule';
import { iso, note, type State } from './state';

/** Begin to send what is due. Those a question is escalated to may see the conversation and answer from now on. */
export function beginNotices(state: State, now: number): PlannedNotice[] {
  const due = dueNotices(state, now);
  if (due.length === 0) return [];
  // What is past and not due was slept through, and is not sent any more.
  const kept = (state.plan ?? []).filter(
    (notice) => notice.begun || due.includes(notice) || Date.parse(notice.at) > now,
  );
  state.plan = kept.map((notice) => (due.includes(notice) ? { ...notice, begun: true } : notice));
  return due.map((notice) =>
    letAnswer(state, notice.to) ? notice : { ...notice, what: `${notice.what}: ${UNLET}` },
  );
}

/** Temporal indexes an owner and all names as one value of 2,048 bytes at most. */
const NAMES_BYTES = 1_900;

const UNLET = 'they cannot be let in, there are too many names already';

/** False where they would be too many. */
function letAnswer(state: State, names: string[]): boolean {
  const { assignees } = state.access;
  const more = names.filter((name) => !assignees.includes(name));
  if (more.length === 0) return true;
  const access = { ...state.access, assignees: [...assignees, ...more] };
  if (audienceBytes({ access, salt: state.salt }) > NAMES_BYTES) return false;
  state.access = access;
  return true;
}

/** What became of a notice: it shows in its question, and in the timeline. */
export function recordNotice(
  state: State,
  questionId: string,
  { number, channel, what }: PlannedNotice,
  failure: string | undefined,
  now: number,
): void {
  forgetNotice(state, questionId, number);
  const told = failure === undefined ? what : `${what}: could not be sent: ${failure}`;
  const notice: Notice = { at: iso(now), channel, what: told };
  const noticed = (question: Question): Question =>
    question.id === questionId ? { ...question, notices: [...question.notices, notice] } : question;
  state.question = state.question && noticed(state.question);
  state.settled = state.settled && noticed(state.settled);
  state.entries = state.entries.map((entry) =>
    entry.kind === 'question' ? { ...entry, question: noticed(entry.question) } : entry,
  );
  note(state, { kind: 'notice', channel, what: `${questionId}: ${told}` }, now);
}

/** Not sent, as the question was settled first. */
export function forgetNotice(state: State, questionId: string, number: number): void {
  if (state.question?.id !== questionId) return;
  state.plan = state.plan?.filter((notice) => notice.number !== number);
}

/** A new run has sent nothing yet. Whoever receives a notice twice can tell by its id. */
export function resumeNotices(state: State): void {
  if (!state.plan?.some(({ begun }) => begun)) return;
  state.plan = state.plan.map(({ begun, ...notice }) => (begun ? { ...notice, again: true } : notice));
}
