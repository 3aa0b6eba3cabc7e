import { isDeepStrictEqual } from 'node:util';
import type { Question } from '#contract/question';
import { listFinalReplies, type RequestAttempt, type UserAction } from '../event-log';
import { isNotAccepted } from '../users/actions';
import { type ConversationEvidence, describeUserAction, findCausingAction, findExportedQuestion } from './evidence';

/** Each question has one outcome, and it is what somebody did, or nobody. */
export function checkOutcomes(evidence: ConversationEvidence): string[] {
  return evidence.documents.flatMap((document, at) => [
    ...checkQuestionNumbers(document.questions),
    ...document.questions.flatMap((question) => checkQuestionOutcome(evidence, question, at > 0)),
  ]);
}

function checkQuestionNumbers(questions: Question[]): string[] {
  const ids = questions.map(({ id }) => id);
  return isDeepStrictEqual(
    ids,
    questions.map((_, n) => `question-${n + 1}`),
  )
    ? []
    : [`the questions are ${ids.join(', ')}`];
}

function checkQuestionOutcome(evidence: ConversationEvidence, question: Question, isHelpers: boolean): string[] {
  const { id, status, outcome } = question;
  const doer = findCausingAction(evidence, question);
  const shown = `${id} is ${status} (${JSON.stringify(outcome)})`;
  const by = doer ? describeUserAction(doer) : 'nobody';
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
function isAnswerOf({ id, conversationId, outcome, fields }: Question, act: UserAction): boolean {
  if (act.conversation !== conversationId || act.isWrong) return false;
  const given = outcome?.answers ?? {};
  const [field] = fields;
  if (act.deed === 'message') return fields.length === 1 && JSON.stringify(given).includes(act.id);
  if (act.deed !== 'answer' || act.question !== id || outcome?.comment !== act.id) return false;
  const { answers, answer } = act.body;
  return isDeepStrictEqual(given, answers ?? { [field?.key ?? '']: answer });
}

/** Every reply to an answer or a decline was true, as far as it can be known in the end. */
export function checkReplies(evidence: ConversationEvidence): string[] {
  return evidence.story.acts.flatMap((act) => {
    const odd = act.tries.flatMap((made) => checkReplyCode(act, made));
    if (act.question === undefined) return odd;
    const question = findExportedQuestion(evidence, act.conversation, act.question);
    if (!question) return [...odd, `${describeUserAction(act)}: there is no such question in the end`];
    return [...odd, ...checkReplyTruth(evidence, act, question), ...checkReplyConsistency(act)];
  });
}

const EXPECTED_CODES: { [status: number]: RegExp } = {
  400: /^invalid_answer$/,
  409: /^(question_(answered|declined|timed_out|cancelled)|conversation_finished)$/,
  503: /^(temporal|worker)_unavailable$/,
};

/** Replies that nobody should ever get to what was sent here. */
function checkReplyCode(act: UserAction, { status, code = '' }: RequestAttempt): string[] {
  if (status === undefined || status < 300 || EXPECTED_CODES[status]?.test(code)) return [];
  return [`${describeUserAction(act)}: ${status} ${code} is no reply to that`];
}

function checkReplyTruth(evidence: ConversationEvidence, act: UserAction, question: Question): string[] {
  const isOurs = findCausingAction(evidence, question)?.id === act.id;
  const stands = `${question.id} is ${question.status} by ${findCausingAction(evidence, question)?.id ?? 'nobody'}`;
  const untrue = (made: RequestAttempt) =>
    `${describeUserAction(act)}: ${made.status} ${made.code ?? ''} was said, but ${stands}`;
  const faults = listFinalReplies(act).flatMap((made) => {
    switch (made.status) {
      case 200:
        return isOurs && made.question?.outcome?.at === question.outcome?.at ? [] : [untrue(made)];
      case 202:
        return act.isWrong || isAcceptedButLost(evidence, act, made, question) ? [untrue(made)] : [];
      case 400:
        return act.isWrong && !isOurs ? [] : [untrue(made)];
      case 409:
        return !isOurs && isMatchingRefusal(made, question) ? [] : [untrue(made)];
      default:
        return [untrue(made)];
    }
  });
  return [...faults, ...checkNotAccepted(act, isOurs)];
}

/** It was kept, and somebody who came after that, or the deadline after that, went before it. */
function isAcceptedButLost(
  evidence: ConversationEvidence,
  act: UserAction,
  made: RequestAttempt,
  question: Question,
): boolean {
  const doer = findCausingAction(evidence, question);
  if (doer?.id === act.id) return false;
  if (question.status === 'timed_out') return made.repliedAt < Date.parse(question.expiresAt ?? '');
  const began = doer?.tries[0]?.sentAt;
  return began !== undefined && began > made.repliedAt;
}

/** A refusal shows the outcome that stands. When a deadline was acted on is only known later. */
function isMatchingRefusal({ code, question: shown }: RequestAttempt, question: Question): boolean {
  if (code === 'conversation_finished') return question.status !== 'pending';
  if (code !== `question_${question.status}` || shown?.status !== question.status) return false;
  const [seen, stands] = [shown.outcome, question.outcome].map((outcome) =>
    JSON.stringify(question.status === 'timed_out' ? { ...outcome, at: '' } : outcome),
  );
  return seen === stands;
}

/** Nothing was accepted, as was said to each try: then nothing may have come of it. */
function checkNotAccepted(act: UserAction, isOurs: boolean): string[] {
  if (!isOurs || !act.tries.every(isNotAccepted)) return [];
  return [`${describeUserAction(act)}: it was said that nothing was accepted, but it was`];
}

/**
 * What was once confirmed or refused is so for good, whoever is asked. A 202 says less and denies nothing: where Temporal
 * goes away right after it took a repeat, the API cannot look what came of it before.
 */
function checkReplyConsistency(act: UserAction): string[] {
  const replies = listFinalReplies(act).filter(({ status }) => status !== 202);
  return replies.flatMap((first) => {
    const other = replies.find((later) => later.sentAt > first.repliedAt && later.status !== first.status);
    return other ? [`${describeUserAction(act)}: first ${first.status} and then ${other.status}`] : [];
  });
}
