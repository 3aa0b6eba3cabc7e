import { byteLength } from '#core/json';
import {
  applyAnswer,
  createMessageResult,
  humanOutcome,
  isDuplicateSignal,
  rejectSignal,
  resolveQuestion,
  type SignalResult,
} from '#core/questions/resolve';
import { parseTextAnswer } from '#core/questions/validate-answer';
import { actorOf, parseSignal } from './parse-signal';
import {
  addTimelineEntry,
  type ConversationState,
  EVERYBODY,
  endConversation,
  isConversationFinished,
  recordMessageResult,
} from './state';

/** Cancels the conversation, whatever it is doing. */
export function applyCancel(state: ConversationState, raw: unknown, now: number): SignalResult {
  const signal = parseSignal(raw, now);
  if (isDuplicateSignal(state, signal)) return { ok: false, reason: 'repeat' };
  if (isConversationFinished(state)) return { ok: false, reason: 'finished' };
  const { reason } = signal;
  const { question } = state;
  if (question)
    resolveQuestion(state, { status: 'cancelled', outcome: humanOutcome(signal, reason, question, now) }, signal, now);
  else recordMessageResult(state, createMessageResult(state, signal, null, 'cancelled', now));
  const message = reason ? `The conversation was cancelled: ${reason}` : 'The conversation was cancelled.';
  endConversation(state, 'cancelled', { error: { code: 'cancelled', message } }, now, signal);
  return { ok: true };
}

/** Limit for one user message, in UTF-8 bytes. */
export const MAX_MESSAGE_BYTES = 100 * 1024;
/**
 * Above this the API rejects further messages until the model has read some. What Temporal accepted is never dropped.
 */
export const MAX_QUEUED_BYTES = 300_000;

/** A further user message: answers an open question that takes free text, or queues until the next model call. */
export function applyUserMessage(state: ConversationState, raw: unknown, now: number): SignalResult {
  const signal = parseSignal(raw, now);
  if (signal.text === undefined || signal.text.trim() === '') return { ok: false, reason: 'invalid' };
  if (byteLength(signal.text) > MAX_MESSAGE_BYTES) return { ok: false, reason: 'invalid' };
  if (isDuplicateSignal(state, signal)) return { ok: false, reason: 'repeat' };
  const open = signal.mayAnswer ? state.question : null;
  const value = open ? parseTextAnswer(open, signal.text) : undefined;
  if (value !== undefined && applyAnswer(state, { ...signal, answer: value }, now).ok) return { ok: true };
  state.queuedMessages = [...state.queuedMessages, signal.text];
  state.sizeBytes += byteLength(signal.text);
  addTimelineEntry(state, { kind: 'message', role: 'user', text: signal.text, ...actorOf(signal) }, now);
  recordMessageResult(state, createMessageResult(state, signal, null, 'accepted', now));
  return { ok: true };
}

/** Limits on what the memo holds: the newest names of the newest questions. */
const MAX_REVOKED_NAMES = 10;
const MAX_REVOKED_QUESTIONS = 5;

/** Revokes answer links to the open question, for one person or all. Other ways to answer still work. */
export function applyLinkRevocation(state: ConversationState, raw: unknown, now: number): SignalResult {
  const signal = parseSignal(raw, now);
  const rejection = rejectSignal(state, signal);
  const question = state.question;
  if (rejection || !question) return rejection ?? { ok: false, reason: 'no_question' };
  const { [question.id]: revokedBefore = [], ...others } = state.revokedLinks ?? {};
  const people = [...new Set([...revokedBefore, signal.person ?? EVERYBODY])];
  const revoked = people.length > MAX_REVOKED_NAMES ? [EVERYBODY] : people;
  const newest = Object.entries({ ...others, [question.id]: revoked }).slice(-MAX_REVOKED_QUESTIONS);
  state.revokedLinks = Object.fromEntries(newest);
  const what = `${question.id}: links revoked for ${signal.person ?? 'everyone'}`;
  addTimelineEntry(state, { kind: 'notice', channel: 'link', what, ...actorOf(signal) }, now);
  recordMessageResult(state, createMessageResult(state, signal, null, 'accepted', now));
  return { ok: true };
}

/** Records that the API created an answer link. Its holder can answer until the question is settled. */
export function applyLinkCreation(state: ConversationState, raw: unknown, now: number): void {
  const signal = parseSignal(raw, now);
  const { question } = state;
  if (!question || signal.person === undefined || rejectSignal(state, signal)) return;
  const what = `${question.id}: link created for ${signal.person}`;
  addTimelineEntry(state, { kind: 'notice', channel: 'link', what, ...actorOf(signal) }, now);
  recordMessageResult(state, createMessageResult(state, signal, null, 'accepted', now));
}

/**
 * What a queued message counts on top of its text: a run takes a limited number of signals, and cannot continue as new
 * while sub-agents work.
 */
const MESSAGE_OVERHEAD_BYTES = 300;

export function countQueuedBytes(state: ConversationState): number {
  return state.queuedMessages.reduce((bytes, text) => bytes + byteLength(text) + MESSAGE_OVERHEAD_BYTES, 0);
}
