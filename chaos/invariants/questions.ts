import { isDeepStrictEqual } from 'node:util';
import type { Question } from '#contract/question';
import { listFinalReplies, type RequestAttempt, type UserAction } from '../event-log';
import { isNotAccepted } from '../users/actions';
import { type ConversationEvidence, describeUserAction, findCausingAction, findExportedQuestion } from './evidence';

/** Checks that each question has one outcome, caused by a user's action or a timeout. */
export function checkOutcomes(evidence: ConversationEvidence): string[] {
  return evidence.documents.flatMap((document, index) => [
    ...checkQuestionNumbers(document.questions),
    ...document.questions.flatMap((question) => checkQuestionOutcome(evidence, question, index > 0)),
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

function checkQuestionOutcome(
  evidence: ConversationEvidence,
  question: Question,
  isSubAgentQuestion: boolean,
): string[] {
  const { id, status, outcome } = question;
  const action = findCausingAction(evidence, question);
  const summary = `${id} is ${status} (${JSON.stringify(outcome)})`;
  const by = action ? describeUserAction(action) : 'nobody';
  switch (status) {
    case 'pending':
      return [`${id} is still open`];
    case 'answered':
      return action && isAnswerOf(question, action) ? [] : [`${summary}, but by ${by}`];
    case 'declined':
      return action?.kind === 'decline' && action.question === id ? [] : [`${summary}, but by ${by}`];
    case 'cancelled':
      return action?.kind === 'cancel' || (isSubAgentQuestion && !action) ? [] : [`${summary}, but by ${by}`];
    case 'timed_out':
      if (action) return [`${summary}, but by ${by}`];
      return question.expiresAt && Date.parse(outcome?.at ?? '') >= Date.parse(question.expiresAt)
        ? []
        : [`${summary} before ${question.expiresAt}`];
  }
}

/** Whether the outcome equals the answer that was sent. */
function isAnswerOf({ id, conversationId, outcome, fields }: Question, sent: UserAction): boolean {
  if (sent.conversation !== conversationId || sent.isInvalid) return false;
  const answered = outcome?.answers ?? {};
  const [field] = fields;
  if (sent.kind === 'message') return fields.length === 1 && JSON.stringify(answered).includes(sent.id);
  if (sent.kind !== 'answer' || sent.question !== id || outcome?.comment !== sent.id) return false;
  const { answers, answer } = sent.body;
  return isDeepStrictEqual(answered, answers ?? { [field?.key ?? '']: answer });
}

/** Checks that every reply to an answer or decline was true, as far as the final state shows. */
export function checkReplies(evidence: ConversationEvidence): string[] {
  return evidence.log.actions.flatMap((sent) => {
    const wrongCodes = sent.attempts.flatMap((attempt) => checkReplyCode(sent, attempt));
    if (sent.question === undefined) return wrongCodes;
    const question = findExportedQuestion(evidence, sent.conversation, sent.question);
    if (!question) return [...wrongCodes, `${describeUserAction(sent)}: the question does not exist in the end`];
    return [...wrongCodes, ...checkReplyTruth(evidence, sent, question), ...checkReplyConsistency(sent)];
  });
}

const EXPECTED_CODES: { [status: number]: RegExp } = {
  400: /^invalid_answer$/,
  409: /^(question_(answered|declined|timed_out|cancelled)|conversation_finished)$/,
  503: /^(temporal|worker)_unavailable$/,
};

/** Checks for replies that no valid request should get. */
function checkReplyCode(sent: UserAction, { status, code = '' }: RequestAttempt): string[] {
  if (status === undefined || status < 300 || EXPECTED_CODES[status]?.test(code)) return [];
  return [`${describeUserAction(sent)}: unexpected response ${status} ${code}`];
}

function checkReplyTruth(evidence: ConversationEvidence, sent: UserAction, question: Question): string[] {
  const isCause = findCausingAction(evidence, question)?.id === sent.id;
  const finalState = `${question.id} is ${question.status} by ${findCausingAction(evidence, question)?.id ?? 'no action'}`;
  const describeUntrue = (attempt: RequestAttempt) =>
    `${describeUserAction(sent)}: ${attempt.status} ${attempt.code ?? ''} was the response, but ${finalState}`;
  const problems = listFinalReplies(sent).flatMap((attempt) => {
    switch (attempt.status) {
      case 200:
        return isCause && attempt.question?.outcome?.at === question.outcome?.at ? [] : [describeUntrue(attempt)];
      case 202:
        return sent.isInvalid || isAcceptedButLost(evidence, sent, attempt, question) ? [describeUntrue(attempt)] : [];
      case 400:
        return sent.isInvalid && !isCause ? [] : [describeUntrue(attempt)];
      case 409:
        return !isCause && isMatchingRefusal(attempt, question) ? [] : [describeUntrue(attempt)];
      default:
        return [describeUntrue(attempt)];
    }
  });
  return [...problems, ...checkNotAccepted(sent, isCause)];
}

/** Whether an accepted answer lost against a later action or deadline, which must not happen. */
function isAcceptedButLost(
  evidence: ConversationEvidence,
  sent: UserAction,
  attempt: RequestAttempt,
  question: Question,
): boolean {
  const action = findCausingAction(evidence, question);
  if (action?.id === sent.id) return false;
  if (question.status === 'timed_out') return attempt.repliedAt < Date.parse(question.expiresAt ?? '');
  const sentAt = action?.attempts[0]?.sentAt;
  return sentAt !== undefined && sentAt > attempt.repliedAt;
}

/** Whether a 409 shows the outcome that stands. The time of a timeout is excluded, as it is only known later. */
function isMatchingRefusal({ code, question: shown }: RequestAttempt, question: Question): boolean {
  if (code === 'conversation_finished') return question.status !== 'pending';
  if (code !== `question_${question.status}` || shown?.status !== question.status) return false;
  const [shownOutcome, finalOutcome] = [shown.outcome, question.outcome].map((outcome) =>
    JSON.stringify(question.status === 'timed_out' ? { ...outcome, at: '' } : outcome),
  );
  return shownOutcome === finalOutcome;
}

/** Checks that an action without effect was really without effect: every attempt was reported as not accepted. */
function checkNotAccepted(sent: UserAction, isCause: boolean): string[] {
  if (!isCause || !sent.attempts.every(isNotAccepted)) return [];
  return [`${describeUserAction(sent)}: the response said that nothing was accepted, but it was`];
}

/**
 * Checks that a confirmation or rejection never changes, whichever API replies. A 202 is excluded, as it says less: if
 * Temporal fails right after accepting a retry, the API cannot look up the outcome.
 */
function checkReplyConsistency(sent: UserAction): string[] {
  const replies = listFinalReplies(sent).filter(({ status }) => status !== 202);
  return replies.flatMap((first) => {
    const other = replies.find((later) => later.sentAt > first.repliedAt && later.status !== first.status);
    return other ? [`${describeUserAction(sent)}: first ${first.status}, then ${other.status}`] : [];
  });
}
