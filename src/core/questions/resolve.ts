import type { Question, QuestionOutcome, QuestionStatus, ValidationIssue } from '#contract/question';
import { type InboundSignal, parseSignal } from '#core/conversation/parse-signal';
import {
  type CallApproval,
  type ConversationState,
  endConversation,
  isConversationFinished,
  type MessageResult,
  recordMessageResult,
  setConversationStatus,
  toIsoTime,
} from '#core/conversation/state';
import { jsonBytes } from '#core/json';
import { YES_LABEL } from './create';
import { questionToolResult } from './tool-results';
import { defaultAnswers, validateAnswer } from './validate-answer';

/** What a message from outside did. Refusals change nothing. */
export type SignalResult =
  | { ok: true }
  | {
      ok: false;
      reason: 'repeat' | 'finished' | 'no_question' | 'late' | 'invalid';
      issues?: ValidationIssue[];
    };

type QuestionResolution = { status: Exclude<QuestionStatus, 'pending'>; outcome: QuestionOutcome };

/** Answer the open question, if this is for it, in time, and acceptable. */
export function applyAnswer(state: ConversationState, raw: unknown, now: number): SignalResult {
  const signal = parseSignal(raw, now);
  const question = state.question;
  const rejection = rejectSignal(state, signal);
  if (rejection || !question) return rejection ?? { ok: false, reason: 'no_question' };
  // Every such question takes the same "yes": one that lets a tool run has to say to which it is.
  if (question.confirms?.tool && signal.questionId === undefined) return { ok: false, reason: 'no_question' };
  const { answers, answer, comment } = signal;
  if (jsonBytes({ answers, answer, comment }) > MAX_ANSWER_BYTES) return { ok: false, reason: 'invalid' };
  const check = validateAnswer(question, signal);
  if (!check.ok) return { ok: false, reason: 'invalid', issues: check.issues };
  resolveQuestion(
    state,
    {
      status: 'answered',
      outcome: { answers: check.answers, ...humanOutcome(signal, signal.comment, question, now) },
    },
    signal,
    now,
  );
  setConversationStatus(state, 'running', now);
  return { ok: true };
}

/** The person will not answer; the model hears so, and the conversation goes on. */
export function applyDecline(state: ConversationState, raw: unknown, now: number): SignalResult {
  const signal = parseSignal(raw, now);
  const question = state.question;
  const rejection = rejectSignal(state, signal);
  if (rejection || !question) return rejection ?? { ok: false, reason: 'no_question' };
  resolveQuestion(
    state,
    { status: 'declined', outcome: humanOutcome(signal, signal.reason, question, now) },
    signal,
    now,
  );
  setConversationStatus(state, 'running', now);
  return { ok: true };
}

/** The deadline has passed with nobody answering. */
export function expireQuestion(state: ConversationState, now: number): void {
  const question = state.question;
  if (!question) return;
  resolveQuestion(
    state,
    { status: 'timed_out', outcome: timeoutOutcome(question, now) },
    parseSignal({ via: 'timer' }, now),
    now,
  );
  if (question.onTimeout !== 'fail') return setConversationStatus(state, 'running', now);
  const message = `Nobody answered question ${question.id} in time, and its policy is to fail.`;
  endConversation(state, 'failed', { error: { code: 'question_timed_out', message } }, now);
}

/** The outcome of a question whose deadline has passed. */
function timeoutOutcome(question: Question, now: number): QuestionOutcome {
  const answers = question.onTimeout === 'default' ? defaultAnswers(question.fields) : undefined;
  return { at: toIsoTime(now), ...(answers ? { answers, defaulted: true } : {}) };
}
/** Answers with their comment at most, in bytes of JSON. */
export const MAX_ANSWER_BYTES = 32 * 1024;

export function rejectSignal(state: ConversationState, signal: InboundSignal): SignalResult | undefined {
  if (isDuplicateSignal(state, signal)) return { ok: false, reason: 'repeat' };
  if (isConversationFinished(state)) return { ok: false, reason: 'finished' };
  const question = state.question;
  if (!question || (signal.questionId ?? question.id) !== question.id) return { ok: false, reason: 'no_question' };
  if (isPastDeadline(question, signal.receivedAt)) return { ok: false, reason: 'late' };
  return undefined;
}

/** What was received in time counts, whenever a worker gets to it; nothing after does. */
export function isPastDeadline({ expiresAt }: Pick<Question, 'expiresAt'>, receivedAt: number): boolean {
  return expiresAt !== null && receivedAt >= Date.parse(expiresAt);
}

/** The time is that of the person's deed: it may have waited for a worker since. */
export function humanOutcome(
  { by, via, receivedAt }: InboundSignal,
  comment: string | undefined,
  question: Question,
  now: number,
): QuestionOutcome {
  const at = toIsoTime(Math.min(now, Math.max(receivedAt, Date.parse(question.askedAt))));
  return { ...(comment ? { comment } : {}), ...(by ? { by } : {}), via, at };
}

export function isDuplicateSignal(state: ConversationState, signal: InboundSignal): boolean {
  return signal.id !== undefined && state.messageResults.some((verdict) => verdict.id === signal.id);
}

export function createMessageResult(
  state: ConversationState,
  signal: InboundSignal,
  questionId: string | null,
  status: MessageResult['status'],
  now: number,
): MessageResult {
  const id = signal.id ?? `${signal.via}-${state.lastEntryId}-${status}`;
  return { id, questionId, status, digest: signal.digest ?? null, by: signal.by ?? null, at: toIsoTime(now) };
}

/** The one place where a question gets its outcome. */
export function resolveQuestion(
  state: ConversationState,
  { status, outcome }: QuestionResolution,
  signal: InboundSignal,
  now: number,
): void {
  const question = state.question;
  const call = state.turn.pendingCalls[0];
  if (!question || !call) return;
  const settled: Question = { ...question, status, outcome };
  state.question = null;
  state.settledQuestion = settled;
  state.lastEntryId += 1;
  const settledId = state.lastEntryId;
  state.entries = state.entries.map((entry) =>
    entry.kind === 'question' && entry.question.id === question.id ? { ...entry, question: settled, settledId } : entry,
  );
  state.notificationPlan = [];
  recordMessageResult(state, createMessageResult(state, signal, question.id, status, now));
  const approval = approvalFrom(settled);
  const [, ...rest] = state.turn.pendingCalls;
  if (approval) state.turn.pendingCalls = [{ ...call, approval }, ...rest];
  else {
    state.turn.pendingCalls = rest;
    state.turn.results = [...state.turn.results, questionToolResult(call, settled)];
  }
}

/** Only a person's own "yes" to this very question lets a tool run: no default, no timeout, no free text. */
function approvalFrom({ id, status, confirms, outcome }: Question): CallApproval | undefined {
  if (!confirms?.tool || status !== 'answered' || outcome?.answers?.q1 !== YES_LABEL) return undefined;
  const { comment } = outcome;
  return { questionId: id, digest: confirms.digest, ...(comment ? { comment } : {}) };
}
