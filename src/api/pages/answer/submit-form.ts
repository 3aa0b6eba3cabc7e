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
  | { came: 'taken'; question: Question }
  /** Safe with Temporal, and no worker has acted on it yet. */
  | { came: 'kept'; content: Partial<AnswerSubmission> }
  | { came: 'late'; question: Question }
  /** Too late, and nobody knows yet what became of the question. */
  | { came: 'over' }
  | { came: 'faulty'; form: SubmittedForm; faults: FormErrors };

/** How the form says that the person will not answer. */
export const DECLINE_FIELD = { name: 'send', value: 'decline' };

/** Answer or decline as a form says, and tell what came of it. */
export async function submitForm(
  context: ApiDeps,
  guest: LinkHolder,
  sent: URLSearchParams,
): Promise<FormSubmissionResult> {
  const receivedAt = context.now();
  const { by, question } = guest;
  const form = readSubmittedForm(question.fields, sent);
  const isDecline = sent.get(DECLINE_FIELD.name) === DECLINE_FIELD.value;
  const read = isDecline ? parseDeclineForm(form) : parseAnswerForm(question.fields, form);
  if (!read.ok) {
    const { faults } = read;
    if (question.status !== 'pending') return { came: 'late', question };
    return isPastDeadline(question, receivedAt) ? { came: 'over' } : { came: 'faulty', form, faults };
  }
  const content: AnswerSubmission = { ...read.body, by, via: 'link', receivedAt };
  const signal = isDecline ? declineQuestionSignal : answerQuestionSignal;
  // The same form sent again by the same link is the same answer: a page that is loaded anew does nothing twice.
  const once = idempotencyFrom(context.secret, ['link', guest.token, [...sent]], [...sent]);
  return settled(context, guest, signal, content, once);
}

/** What of a refusal tells that what was sent may count after all. */
export const OUTCOME_UNKNOWN_STATUSES = { isUnsure: true };

async function settled(
  { gateway }: ApiDeps,
  { caller, question: { conversationId: id, id: qid } }: LinkHolder,
  signal: typeof answerQuestionSignal,
  content: AnswerSubmission,
  once: Idempotency,
): Promise<FormSubmissionResult> {
  try {
    const { confirmed, question } = await submitAnswer(gateway, caller, { id, qid }, signal, content, once);
    return confirmed ? { came: 'taken', question } : { came: 'kept', content };
  } catch (error) {
    const question = error instanceof ApiError ? (error.more.question as Question | undefined) : undefined;
    if (question) return { came: 'late', question };
    if (error instanceof UndecidedError) return { came: 'over' };
    if (isOutcomeUnknown(error))
      throw new ApiError('temporal_unavailable', describeTemporalError(error) ?? '', OUTCOME_UNKNOWN_STATUSES);
    throw error;
  }
}
