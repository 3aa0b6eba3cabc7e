import { isDeepStrictEqual } from 'node:util';
import type { Question } from '#contract/question';
import type { Act } from '../ledger';
import { doerOf, type Evidence, told } from './evidence';

/** Each question has one outcome, and it is what somebody did, or nobody. */
export function outcomesOf(evidence: Evidence): string[] {
  return evidence.documents.flatMap((document, at) => [
    ...numbered(document.questions),
    ...document.questions.flatMap((question) => faultsIn(evidence, question, at > 0)),
  ]);
}

function numbered(questions: Question[]): string[] {
  const ids = questions.map(({ id }) => id);
  return isDeepStrictEqual(
    ids,
    questions.map((_, n) => `question-${n + 1}`),
  )
    ? []
    : [`the questions are ${ids.join(', ')}`];
}

function faultsIn(evidence: Evidence, question: Question, isHelpers: boolean): string[] {
  const { id, status, outcome } = question;
  const doer = doerOf(evidence, question);
  const shown = `${id} is ${status} (${JSON.stringify(outcome)})`;
  const by = doer ? told(doer) : 'nobody';
  switch (status) {
    case 'pending':
      return [`${id} is still open`];
    case 'answered':
      return doer && isAnswerOf(question, doer) ? [] : [`${shown}, but by ${by}`];
    case 'declined':
      return doer?.deed === 'decline' && doer.question === id ? [] : [`${shown}, but by ${by}`];
    case 'cancelled':
      return doer?.deed === 'cancel' || (isHelpers && !doer) ? [] : [`${shown}, but by ${by}`];
    case 'timed_out':
      if (doer) return [`${shown}, but by ${by}`];
      return question.expiresAt && Date.parse(outcome?.at ?? '') >= Date.parse(question.expiresAt)
        ? []
        : [`${shown} before ${question.expiresAt}`];
  }
}

/** Word for word what was sent. */
function isAnswerOf({ id, conversationId, outcome, fields }: Question, act: Act): boolean {
  if (act.conversation !== conversationId || act.isWrong) return false;
  const given = outcome?.answers ?? {};
  const [field] = fields;
  if (act.deed === 'message') return fields.length === 1 && JSON.stringify(given).includes(act.id);
  if (act.deed !== 'answer' || act.question !== id || outcome?.comment !== act.id) return false;
  const { answers, answer } = act.body;
  return isDeepStrictEqual(given, answers ?? { [field?.key ?? '']: answer });
}
