import type { ParleyClient } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import { generateIdempotencyKey } from '#client/request';
import type { Question, ValidationIssue } from '#contract/question';
import type { PromptReply } from './ask-question';

/** A reply that is sent to the server. */
export type PromptSubmission = Extract<PromptReply, { kind: 'answer' | 'decline' }>;

/** The result of a submission. */
export type SubmitResult =
  | { kind: 'accepted' | 'resolvedElsewhere'; question: Question }
  | { kind: 'queued'; question: Question }
  | { kind: 'refused'; error: ParleyError }
  | { kind: 'invalid'; issues: readonly ValidationIssue[] }
  | { kind: 'failed'; error: ParleyError };

export type SubmitFunction = (submission: PromptSubmission, signal?: AbortSignal) => Promise<SubmitResult>;

/** Creates a function that submits to one question. A retry of the same submission uses the same idempotency key. */
export function createSubmitter(parley: ParleyClient, question: Question): SubmitFunction {
  const { conversationId, id } = question;
  const keysByBody = new Map<string, string>();
  return async (submission, signal) => {
    const body = JSON.stringify(submission);
    const idempotencyKey = keysByBody.get(body) ?? generateIdempotencyKey();
    keysByBody.set(body, idempotencyKey);
    const options = { idempotencyKey, signal };
    const { kind, ...content } = submission;
    try {
      const { question: current } = await ('answers' in content
        ? parley.answer(conversationId, { question: id, ...content }, options)
        : parley.decline(conversationId, { question: id, ...content }, options));
      return current.status === 'pending' ? { kind: 'queued', question } : { kind: 'accepted', question: current };
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      return toSubmitFailure(error, question);
    }
  };
}

function toSubmitFailure(error: ParleyError, question: Question): SubmitResult {
  const { code, status, problem } = error;
  if (code === 'invalid_answer' && problem?.errors?.length) return { kind: 'invalid', issues: problem.errors };
  if (problem && (status === 401 || status === 403)) return { kind: 'refused', error };
  if (problem && status === 404) throw error;
  if (status === 409 && problem?.question) return { kind: 'resolvedElsewhere', question: problem.question };
  if (code === 'conversation_finished') return { kind: 'resolvedElsewhere', question };
  return { kind: isRetryableError(error) ? 'failed' : 'refused', error };
}

/** Returns whether a retry may succeed. A proxy's error page counts, unless it is about the request itself. */
function isRetryableError({ status = 0, problem }: ParleyError): boolean {
  if (status === 400 || status === 413) return false;
  return !problem || status >= 500 || status === 429;
}

/** Returns whether the submission may have arrived despite the error. */
export function isDeliveryUnknown(result: SubmitResult): boolean {
  if (result.kind !== 'failed') return false;
  const { code, status = 0 } = result.error;
  return code === 'network' || code === 'unexpected_response' || status >= 500;
}
