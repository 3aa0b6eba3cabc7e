import { findUnavailability } from '#api/temporal/errors';
import { summarizeIssues } from '#contract/error-messages';
import type { Question, ValidationIssue } from '#contract/question';
import type { ActionRefusal, AnswerRefusal, Unavailability } from '#contract/responses';

type RefusalWith<Status> = Extract<AnswerRefusal, { status: Status }>;

/** Same text whether it does not exist or the caller may not see it. */
export function conversationNotFound(id: string): ActionRefusal {
  const detail = `Conversation ${JSON.stringify(id.slice(0, 200))} not found.`;
  return { status: 'conversationNotFound', code: 'conversation_not_found', detail };
}

export function actionForbidden(name: string | null): ActionRefusal {
  const detail = `${name} can view this conversation but not act in it. Only its owner and assignees can.`;
  return { status: 'forbidden', code: 'forbidden', detail };
}

/** An `Idempotency-Key` may only be reused for the same request. */
export const IDEMPOTENCY_CONFLICT: ActionRefusal = {
  status: 'idempotencyConflict',
  code: 'idempotency_conflict',
  detail: 'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
};

export function questionNotFound(id: string): RefusalWith<'questionNotFound'> {
  const shown = JSON.stringify(id.slice(0, 200));
  const detail =
    id === 'latest' ? 'No questions have been asked yet.' : `Question ${shown} not found in this conversation.`;
  return { status: 'questionNotFound', code: 'question_not_found', detail };
}

export function invalidAnswer(issues: ValidationIssue[]): RefusalWith<'invalid'> {
  const detail = `The answer was not accepted and the question is still open. ${summarizeIssues(issues).summary}`;
  return { status: 'invalid', code: 'invalid_answer', detail, issues };
}

const STATUS_TEXT = {
  answered: 'was answered',
  declined: 'was declined',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
};

export function alreadyResolved(question: Question): RefusalWith<'alreadyResolved'> {
  const status = question.status === 'pending' ? 'cancelled' : question.status;
  const { by, at } = question.outcome ?? {};
  const who = `${by ? ` by ${by}` : ''}${at ? ` at ${at}` : ''}`;
  const detail = `The question ${STATUS_TEXT[status]}${who}. Your request had no effect.`;
  return { status: 'alreadyResolved', code: `question_${status}`, detail, question };
}

/** The question may not have timed out: an answer received in time counts, even if a worker processes it later. */
export const UNDECIDED: RefusalWith<'undecided'> = {
  status: 'undecided',
  code: 'outcome_unknown',
  detail:
    'The deadline has passed and the answer was not accepted. The outcome is still being processed; retry shortly.',
};

/** The request may be the one that resolved the question: only a worker can read results this old. */
export const RESULT_UNKNOWN: Unavailability = {
  status: 'outcomeUnknown',
  code: 'outcome_unknown',
  detail:
    'Whether this request had an effect can only be read with a worker, and none is running. Retry with the same key.',
};

/** Turns a failure of Temporal or of the workers into a result; throws any other error. */
export function toUnavailability(error: unknown): Unavailability {
  const unavailability = findUnavailability(error);
  if (!unavailability) throw error;
  return { status: unavailability.code === 'outcome_unknown' ? 'outcomeUnknown' : 'unavailable', ...unavailability };
}
