import type { ApiDeps } from '#api/dependencies';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFrom } from '#api/middleware/idempotency';
import type { Idempotency } from '#api/services/message-results';
import { type AnswerSubmission, submitAnswer, UndecidedError } from '#api/services/submit-answer';
import { describeTemporalError, isOutcomeUnknown } from '#api/temporal/errors';
import type { Question } from '#contract/question';
import { isPastDeadline } from '#core/questions/resolve';
import { answerQuestionSignal, declineQuestionSignal } from '#workflows/messages';
import type { LinkHolder } from './link-session';
import {
  type FormErrors,
  parseAnswerForm,
  parseDeclineForm,
  readSubmittedForm,
  type SubmittedForm,
} from './parse-form';

export type FormSubmissionResult =
  /** It counts, or did when it was first sent. */
  | { status: 'accepted'; question: Question }
  /** Safe with Temporal, and no worker has acted on it yet. */
  | { status: 'queued'; content: Partial<AnswerSubmission> }
  | { status: 'alreadyResolved'; question: Question }
  /** Too late, and nobody knows yet what became of the question. */
  | { status: 'expired' }
  | { status: 'invalid'; form: SubmittedForm; errors: FormErrors };

/** How the form says that the person will not answer. */
export const DECLINE_FIELD = { name: 'send', value: 'decline' };

/** Answer or decline as a form says, and tell what came of it. */
export async function submitForm(
  deps: ApiDeps,
  holder: LinkHolder,
  submitted: URLSearchParams,
): Promise<FormSubmissionResult> {
  const receivedAt = deps.now();
  const { answeredBy, question } = holder;
  const form = readSubmittedForm(question.fields, submitted);
  const isDecline = submitted.get(DECLINE_FIELD.name) === DECLINE_FIELD.value;
  const parsed = isDecline ? parseDeclineForm(form) : parseAnswerForm(question.fields, form);
  if (!parsed.ok) {
    const { errors } = parsed;
    if (question.status !== 'pending') return { status: 'alreadyResolved', question };
    return isPastDeadline(question, receivedAt) ? { status: 'expired' } : { status: 'invalid', form, errors };
  }
  const content: AnswerSubmission = { ...parsed.body, by: answeredBy, via: 'link', receivedAt };
  const signal = isDecline ? declineQuestionSignal : answerQuestionSignal;
  // The same form sent again by the same link is the same answer: a page that is loaded anew does nothing twice.
  const idempotency = idempotencyFrom(deps.secret, ['link', holder.token, [...submitted]], [...submitted]);
  return resolveQuestion(deps, holder, signal, content, idempotency);
}

/** What of a refusal tells that what was sent may count after all. */
export const OUTCOME_UNKNOWN_STATUSES = { isOutcomeUnknown: true };

async function resolveQuestion(
  { gateway }: ApiDeps,
  { caller, question: { conversationId: id, id: qid } }: LinkHolder,
  signal: typeof answerQuestionSignal,
  content: AnswerSubmission,
  idempotency: Idempotency,
): Promise<FormSubmissionResult> {
  try {
    const { confirmed, question } = await submitAnswer(gateway, caller, { id, qid }, signal, content, idempotency);
    return confirmed ? { status: 'accepted', question } : { status: 'queued', content };
  } catch (error) {
    const question = error instanceof ApiError ? (error.extensions.question as Question | undefined) : undefined;
    if (question) return { status: 'alreadyResolved', question };
    if (error instanceof UndecidedError) return { status: 'expired' };
    if (isOutcomeUnknown(error))
      throw new ApiError('temporal_unavailable', describeTemporalError(error) ?? '', OUTCOME_UNKNOWN_STATUSES);
    throw error;
  }
}
