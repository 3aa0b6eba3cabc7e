import type { Outcome, Question } from '../contract/question';
import { YES } from './asking';
import { toolResult } from './transcript';

/** What the model hears. A timeout is never a "no", and a "no" to an action is not an error. */
export function resultOf(callId: string, isConfirmation: boolean, question: Question) {
  const { answers, comment, defaulted } = question.outcome ?? {};
  if (question.status === 'declined') {
    return toolResult(
      callId,
      comment ? `The user declined to answer: ${comment}` : 'The user declined to answer.',
      true,
    );
  }
  if (question.status === 'cancelled')
    return toolResult(callId, 'The conversation was cancelled before anybody answered.', true);
  const unanswered = defaulted ? 'Nobody answered in time; these are the defaults you named.' : NOBODY;
  const late = question.status === 'timed_out' ? { outcome: 'timed_out', message: unanswered } : {};
  const said =
    answers && (isConfirmation ? { confirmed: answers.q1 === YES } : { answers: byText(question, answers) });
  return toolResult(
    callId,
    JSON.stringify({
      ...said,
      ...(comment ? { comment } : {}),
      ...late,
      ...(defaulted ? { defaulted } : {}),
    }),
  );
}

const NOBODY =
  'Nobody answered in time. This is neither a yes nor a no: go on with what you can do without the answer, and say what you assumed.';

function byText(question: Question, answers: NonNullable<Outcome['answers']>): Record<string, unknown> {
  return Object.fromEntries(
    question.fields.flatMap((f) => (f.key in answers ? [[f.question, answers[f.key]]] : [])),
  );
}
