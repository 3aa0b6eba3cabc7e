import type { ApiDeps } from '#api/dependencies';
import { refusalError } from '#api/middleware/errors';
import { idempotencyFrom } from '#api/services/idempotency';
import { submitAnswer } from '#api/services/submit-answer';
import { isPastDeadline } from '#core/questions/resolve';
import type { LinkHolder } from './link-session';
import { DECLINE_FIELD, parseAnswerForm, parseDeclineForm, readSubmittedForm } from './parse-form';
import { questionPage } from './question-page';
import { acceptedPage, alreadyAnsweredPage, expiredPage, queuedPage } from './result-pages';

/** Submits the answer or decline in the form, and returns the page that shows what happened. */
export async function submitForm(deps: ApiDeps, holder: LinkHolder, submitted: URLSearchParams) {
  const receivedAt = deps.now();
  const { caller, answeredBy, question, token } = holder;
  const form = readSubmittedForm(question.fields, submitted);
  const isDecline = submitted.get(DECLINE_FIELD.name) === DECLINE_FIELD.value;
  const parsed = isDecline ? parseDeclineForm(form) : parseAnswerForm(question.fields, form);
  if (!parsed.ok) {
    if (question.status !== 'pending') return alreadyAnsweredPage(holder, question);
    if (isPastDeadline(question, receivedAt)) return expiredPage(holder, true);
    return questionPage(holder, form, parsed.errors, receivedAt);
  }
  const content = { ...parsed.body, by: answeredBy, via: 'link', receivedAt };
  const result = await submitAnswer(deps, caller, {
    kind: isDecline ? 'decline' : 'answer',
    conversationId: question.conversationId,
    questionId: question.id,
    // Resubmitting the same form by the same link is the same answer, so reloading the page has no second effect.
    idempotency: idempotencyFrom(deps.secret, ['link', token, [...submitted]], [...submitted]),
    content,
  });
  switch (result.status) {
    case 'accepted':
      return acceptedPage(holder, result.question);
    case 'queued':
      return queuedPage(holder, content);
    case 'alreadyResolved':
      return alreadyAnsweredPage(holder, result.question);
    case 'undecided':
      return expiredPage(holder, true);
    default:
      throw refusalError(result);
  }
}
