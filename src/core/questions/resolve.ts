import type { Question, QuestionOutcome, QuestionStatus, ValidationIssue } from '#contract/question';
import { applyBudgetOutcome } from '#core/conversation/budget';
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
import { jsonBytes, truncateText } from '#core/json';
import { YES_LABEL } from './create';
import { questionToolResult } from './tool-results';
import { defaultAnswers, validateAnswer } from './validate-answer';

/** What an inbound message did. A rejected one changes nothing. */
export type SignalResult =
  | { ok: true }
  | {
      ok: false;
      reason: 'repeat' | 'finished' | 'no_question' | 'late' | 'invalid';
      issues?: ValidationIssue[];
    };

type QuestionResolution = { status: Exclude<QuestionStatus, 'pending'>; outcome: QuestionOutcome };

/** Answers the open question if the signal is for it, in time and valid. */
export function applyAnswer(state: ConversationState, raw: unknown, now: number): SignalResult {
  const signal = parseSignal(raw, now);
  const question = state.question;
  const rejection = rejectSignal(state, signal);
  if (rejection || !question) return rejection ?? { ok: false, reason: 'no_question' };
  // All approvals look alike, so an answer that lets a tool run must name its question.
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

/** Declines the open question. The model is told, and the conversation continues. */
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

/** Resolves the open question as timed out. */
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
  const message = `No answer to “${truncateText(question.fields[0]?.question ?? '', 200)}” before the deadline.`;
  endConversation(state, 'failed', { error: { code: 'question_timed_out', message } }, now);
}

/** The outcome of a question whose deadline has passed. */
function timeoutOutcome(question: Question, now: number): QuestionOutcome {
  const answers = question.onTimeout === 'default' ? defaultAnswers(question.fields) : undefined;
  return { at: toIsoTime(now), ...(answers ? { answers, defaulted: true } : {}) };
}
/** Limit for answers and comment together, in bytes of JSON. */
export const MAX_ANSWER_BYTES = 32 * 1024;

export function rejectSignal(state: ConversationState, signal: InboundSignal): SignalResult | undefined {
  if (isDuplicateSignal(state, signal)) return { ok: false, reason: 'repeat' };
  if (isConversationFinished(state)) return { ok: false, reason: 'finished' };
  const question = state.question;
  if (!question || (signal.questionId ?? question.id) !== question.id) return { ok: false, reason: 'no_question' };
  if (isPastDeadline(question, signal.receivedAt)) return { ok: false, reason: 'late' };
  return undefined;
}

/** Judges by the time of receipt: an answer received in time counts even if a worker reads it later. */
export function isPastDeadline({ expiresAt }: Pick<Question, 'expiresAt'>, receivedAt: number): boolean {
  return expiresAt !== null && receivedAt >= Date.parse(expiresAt);
}

/** `at` is when the person acted, not when a worker read the signal. */
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

/** The only place where a question gets its outcome. */
export function resolveQuestion(
  state: ConversationState,
  { status, outcome }: QuestionResolution,
  signal: InboundSignal,
  now: number,
): void {
  const question = state.question;
  const call = state.turn.pendingCalls[0];
  const budget = question?.id === state.budget?.questionId ? state.budget : undefined;
  if (!question || !(call || budget)) return;
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
  if (budget || !call) return budget && applyBudgetOutcome(budget, settled);
  const approval = approvalFrom(settled);
  const [, ...rest] = state.turn.pendingCalls;
  if (approval) state.turn.pendingCalls = [{ ...call, approval }, ...rest];
  else {
    state.turn.pendingCalls = rest;
    state.turn.results = [...state.turn.results, questionToolResult(call, settled)];
  }
}

/** Only a person's own yes to this question approves the call, never a default, a timeout or free text. */
function approvalFrom({ id, status, confirms, outcome }: Question): CallApproval | undefined {
  if (!confirms?.tool || status !== 'answered' || outcome?.answers?.q1 !== YES_LABEL) return undefined;
  const { comment } = outcome;
  return { questionId: id, digest: confirms.digest, ...(comment ? { comment } : {}) };
}
