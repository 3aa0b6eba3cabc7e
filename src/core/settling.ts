import type { Fault, Outcome, Question, QuestionStatus } from '#contract/question';
import { answerOfText, checkAnswer, defaultsOf } from './answers';
import { YES } from './asking';
import { end } from './ending';
import { byteLength, jsonBytes } from './json';
import { resultOf } from './results';
import { readSignal, type Signal } from './signal';
import { type Approval, isFinished, iso, note, record, type State, setStatus, type Verdict } from './state';

/** What a message from outside did. Refusals change nothing. */
export type Settled =
  | { ok: true }
  | { ok: false; why: 'repeat' | 'finished' | 'no_question' | 'late' | 'invalid'; faults?: Fault[] };

type Settlement = { status: Exclude<QuestionStatus, 'pending'>; outcome: Outcome };

/** Answer the open question, if this is for it, in time, and acceptable. */
export function answer(state: State, raw: unknown, now: number): Settled {
  const signal = readSignal(raw, now);
  const question = state.question;
  const refusal = refuse(state, signal);
  if (refusal || !question) return refusal ?? { ok: false, why: 'no_question' };
  // Every such question takes the same "yes": one that lets a tool run has to say to which it is.
  if (question.confirms?.tool && signal.questionId === undefined) return { ok: false, why: 'no_question' };
  const { answers, answer, comment } = signal;
  if (jsonBytes({ answers, answer, comment }) > ANSWER_BYTES) return { ok: false, why: 'invalid' };
  const checked = checkAnswer(question, signal);
  if (!checked.ok) return { ok: false, why: 'invalid', faults: checked.faults };
  settle(
    state,
    {
      status: 'answered',
      outcome: { answers: checked.answers, ...told(signal, signal.comment, question, now) },
    },
    signal,
    now,
  );
  setStatus(state, 'running', now);
  return { ok: true };
}

/** The person will not answer; the model hears so, and the conversation goes on. */
export function decline(state: State, raw: unknown, now: number): Settled {
  const signal = readSignal(raw, now);
  const question = state.question;
  const refusal = refuse(state, signal);
  if (refusal || !question) return refusal ?? { ok: false, why: 'no_question' };
  settle(state, { status: 'declined', outcome: told(signal, signal.reason, question, now) }, signal, now);
  setStatus(state, 'running', now);
  return { ok: true };
}

/** The deadline has passed with nobody answering. */
export function expire(state: State, now: number): void {
  const question = state.question;
  if (!question) return;
  settle(
    state,
    { status: 'timed_out', outcome: timeoutOf(question, now) },
    readSignal({ via: 'timer' }, now),
    now,
  );
  if (question.onTimeout !== 'fail') return setStatus(state, 'running', now);
  const message = `Nobody answered question ${question.id} in time, and its policy is to fail.`;
  end(state, 'failed', { error: { code: 'question_timed_out', message } }, now);
}

/** The outcome of a question whose deadline has passed. */
function timeoutOf(question: Question, now: number): Outcome {
  const answers = question.onTimeout === 'default' ? defaultsOf(question.fields) : undefined;
  return { at: iso(now), ...(answers ? { answers, defaulted: true } : {}) };
}

/** End the conversation, whatever it is doing. */
export function cancel(state: State, raw: unknown, now: number): Settled {
  const signal = readSignal(raw, now);
  if (isRepeat(state, signal)) return { ok: false, why: 'repeat' };
  if (isFinished(state)) return { ok: false, why: 'finished' };
  const { reason } = signal;
  const { question } = state;
  if (question)
    settle(state, { status: 'cancelled', outcome: told(signal, reason, question, now) }, signal, now);
  else record(state, verdictOf(state, signal, null, 'cancelled', now));
  const message = reason ? `The conversation was cancelled: ${reason}` : 'The conversation was cancelled.';
  end(state, 'cancelled', { error: { code: 'cancelled', message } }, now);
  return { ok: true };
}

/** A user's message at most, in bytes of UTF-8. */
export const MESSAGE_BYTES = 100 * 1024;
/** Answers with their comment at most, in bytes of JSON. */
export const ANSWER_BYTES = 32 * 1024;
/** Past this the API takes no more until the model has heard them; what Temporal took is never dropped. */
export const QUEUED_BYTES = 300_000;

/** A further message of the user: it answers an open question that takes free text, or waits until the model can hear it. */
export function hearUser(state: State, raw: unknown, now: number): Settled {
  const signal = readSignal(raw, now);
  if (signal.text === undefined || signal.text.trim() === '') return { ok: false, why: 'invalid' };
  if (byteLength(signal.text) > MESSAGE_BYTES) return { ok: false, why: 'invalid' };
  if (isRepeat(state, signal)) return { ok: false, why: 'repeat' };
  const open = signal.mayAnswer ? state.question : null;
  const value = open ? answerOfText(open, signal.text) : undefined;
  if (value !== undefined && answer(state, { ...signal, answer: value }, now).ok) return { ok: true };
  state.queued = [...state.queued, signal.text];
  state.weight += byteLength(signal.text);
  note(state, { kind: 'message', role: 'user', text: signal.text }, now);
  record(state, verdictOf(state, signal, null, 'accepted', now));
  return { ok: true };
}

/** The memo holds them: so many names for so many questions, the newest. */
const REVOKED_NAMES = 10;
const REVOKED_QUESTIONS = 5;

/** Take links to the open question back: one person's, or everybody's. Whoever may answer otherwise still may. */
export function revoke(state: State, raw: unknown, now: number): Settled {
  const signal = readSignal(raw, now);
  const refusal = refuse(state, signal);
  const question = state.question;
  if (refusal || !question) return refusal ?? { ok: false, why: 'no_question' };
  const { [question.id]: before = [], ...others } = state.revoked ?? {};
  const people = [...new Set([...before, signal.person ?? EVERYBODY])];
  const kept = people.length > REVOKED_NAMES ? [EVERYBODY] : people;
  const newest = Object.entries({ ...others, [question.id]: kept }).slice(-REVOKED_QUESTIONS);
  state.revoked = Object.fromEntries(newest);
  record(state, verdictOf(state, signal, null, 'accepted', now));
  return { ok: true };
}

const EVERYBODY = '*';

export function queuedBytes(state: State): number {
  return state.queued.reduce((bytes, text) => bytes + byteLength(text), 0);
}

function refuse(state: State, signal: Signal): Settled | undefined {
  if (isRepeat(state, signal)) return { ok: false, why: 'repeat' };
  if (isFinished(state)) return { ok: false, why: 'finished' };
  const question = state.question;
  if (!question || (signal.questionId ?? question.id) !== question.id)
    return { ok: false, why: 'no_question' };
  if (isLate(question, signal.receivedAt)) return { ok: false, why: 'late' };
  return undefined;
}

/** What was received in time counts, whenever a worker gets to it; nothing after does. */
export function isLate({ expiresAt }: Pick<Question, 'expiresAt'>, receivedAt: number): boolean {
  return expiresAt !== null && receivedAt >= Date.parse(expiresAt);
}

/** The time is that of the person's deed: it may have waited for a worker since. */
function told(
  { by, via, receivedAt }: Signal,
  comment: string | undefined,
  asked: Question,
  now: number,
): Outcome {
  const at = iso(Math.min(now, Math.max(receivedAt, Date.parse(asked.askedAt))));
  return { ...(comment ? { comment } : {}), ...(by ? { by } : {}), via, at };
}

function isRepeat(state: State, signal: Signal): boolean {
  return signal.id !== undefined && state.verdicts.some((verdict) => verdict.id === signal.id);
}

function verdictOf(
  state: State,
  signal: Signal,
  on: string | null,
  status: Verdict['status'],
  now: number,
): Verdict {
  const id = signal.id ?? `${signal.via}-${state.lastEntry}-${status}`;
  return { id, on, status, digest: signal.digest ?? null, by: signal.by ?? null, at: iso(now) };
}

/** The one place where a question gets its outcome. */
function settle(state: State, { status, outcome }: Settlement, signal: Signal, now: number): void {
  const question = state.question;
  const call = state.turn.calls[0];
  if (!question || !call) return;
  const settled: Question = { ...question, status, outcome };
  state.question = null;
  state.settled = settled;
  state.lastEntry += 1;
  const settledId = state.lastEntry;
  state.entries = state.entries.map((entry) =>
    entry.kind === 'question' && entry.question.id === question.id
      ? { ...entry, question: settled, settledId }
      : entry,
  );
  state.plan = [];
  record(state, verdictOf(state, signal, question.id, status, now));
  const approval = approvalBy(settled);
  const [, ...rest] = state.turn.calls;
  if (approval) state.turn.calls = [{ ...call, approval }, ...rest];
  else {
    state.turn.calls = rest;
    state.turn.results = [...state.turn.results, resultOf(call, settled)];
  }
}

/** Only a person's own "yes" to this very question lets a tool run: no default, no timeout, no free text. */
function approvalBy({ id, status, confirms, outcome }: Question): Approval | undefined {
  if (!confirms?.tool || status !== 'answered' || outcome?.answers?.q1 !== YES) return undefined;
  const { comment } = outcome;
  return { question: id, digest: confirms.digest, ...(comment ? { comment } : {}) };
}
