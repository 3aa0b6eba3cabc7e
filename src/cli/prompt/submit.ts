import type { SubmittedAnswer } from '#client/options';
import type { ParleyClient } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import { generateIdempotencyKey } from '#client/request';
import type { Question, ValidationIssue } from '#contract/question';
import type { PromptReply } from './ask-question';

/** What is to be sent. */
export type PromptSubmission = Extract<PromptReply, { kind: 'answer' | 'decline' }>;

/** What came of sending it. */
export type SubmitResult =
  | { kind: 'settled' | 'kept' | 'gone'; question: Question }
  | { kind: 'refused'; error: ParleyError }
  | { kind: 'faulty'; faults: readonly ValidationIssue[] }
  | { kind: 'failed'; error: ParleyError };

export type SubmitFunction = (message: PromptSubmission, signal?: AbortSignal) => Promise<SubmitResult>;

/** Sends to one question. The same message, sent again, counts once: it has the same key each time. */
export function createSubmitter(parley: ParleyClient, question: Question): SubmitFunction {
  const keys = new Map<string, string>();
  return async (message, signal) => {
    const body = JSON.stringify(message);
    const idempotencyKey = keys.get(body) ?? generateIdempotencyKey();
    keys.set(body, idempotencyKey);
    try {
      return toSubmitResult(await postSubmission(parley, question, message, { idempotencyKey, signal }), question);
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      return toSubmitFailure(error, question);
    }
  };
}

function postSubmission(
  parley: ParleyClient,
  { conversationId, id }: Question,
  { kind, ...message }: PromptSubmission,
  options: { idempotencyKey: string; signal?: AbortSignal },
): Promise<SubmittedAnswer> {
  return 'answers' in message
    ? parley.answer(conversationId, { question: id, ...message }, options)
    : parley.decline(conversationId, { question: id, ...message }, options);
}

function toSubmitResult({ question }: SubmittedAnswer, asked: Question): SubmitResult {
  return question.status === 'pending' ? { kind: 'kept', question: asked } : { kind: 'settled', question };
}

function toSubmitFailure(error: ParleyError, asked: Question): SubmitResult {
  const { code, status, problem } = error;
  if (code === 'invalid_answer' && problem?.errors?.length) return { kind: 'faulty', faults: problem.errors };
  if (problem && (status === 401 || status === 403)) return { kind: 'refused', error };
  if (problem && status === 404) throw error;
  if (status === 409 && problem?.question) return { kind: 'gone', question: problem.question };
  if (code === 'conversation_finished') return { kind: 'gone', question: asked };
  return { kind: isRetryableError(error) ? 'failed' : 'refused', error };
}

/** The same, sent again, may be taken. A page of whatever stands in between may pass, unless it is about what was sent. */
function isRetryableError({ status = 0, problem }: ParleyError): boolean {
  if (status === 400 || status === 413) return false;
  return !problem || status >= 500 || status === 429;
}

/** Nobody knows whether it arrived. */
export function isDeliveryUnknown(sent: SubmitResult): boolean {
  if (sent.kind !== 'failed') return false;
  const { code, status = 0 } = sent.error;
  return code === 'network' || code === 'unexpected_response' || status >= 500;
}
