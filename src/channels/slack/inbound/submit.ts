import type { InboundDeps, QuestionLookup } from '#channels/inbound';
import type { SlackQuestionRef } from '#channels/slack/blocks/buttons';
import type { SlackClient } from '#channels/slack/client';
import type { SlackSettings } from '#channels/slack/settings';
import type { Question, ValidationIssue } from '#contract/question';
import type { AnswerRefusal, AnswerResult } from '#contract/responses';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import type { SlackPersonResolver } from './resolve-person';

/** What a Slack user submits: an answer, a decline, or a rejection with its reason. */
export type SlackAnswer =
  | { answer?: unknown; answers?: unknown; comment?: string }
  | { declines: true }
  | { rejection: string };

export interface SlackSubmission extends SlackQuestionRef {
  /** Builds the answer once the question is known. */
  toAnswer(question: Question): SlackAnswer;
  /** Called once Temporal has the answer: from then on it cannot be lost. */
  onAccepted?(): void;
}

/** The result of a submission. */
export type SlackSubmitResult =
  | { kind: 'accepted' }
  /** Durable, but no worker has processed it yet. */
  | { kind: 'queued' }
  | { kind: 'alreadyResolved'; question: Question; title: string }
  | { kind: 'invalid'; issues: ValidationIssue[] }
  | { kind: 'rejected'; message: string }
  /** Parley knows the user by that name, but they may not answer. */
  | { kind: 'forbidden'; name: string }
  /** The question is gone or replaced, or the user may not see it. */
  | { kind: 'notFound'; name?: string }
  | { kind: 'unknownUser' }
  | { kind: 'error'; message: string; isUnavailable?: boolean };

/** Answers or declines the question as this person. */
export async function submitSlackAnswer(
  inbound: InboundDeps,
  person: string,
  submission: SlackSubmission,
): Promise<SlackSubmitResult> {
  const receivedAt = inbound.now();
  const { conversation: conversationId, question: questionId, askedAt, onAccepted: onDurable } = submission;
  const found = await findReferencedQuestion(inbound, person, submission);
  if ('kind' in found) return found;
  const { question, title } = found;
  const answer = submission.toAnswer(question);
  if ('rejection' in answer)
    return question.status === 'pending'
      ? { kind: 'rejected', message: answer.rejection }
      : { kind: 'alreadyResolved', question, title };
  if (Buffer.byteLength(JSON.stringify(answer)) > MAX_ANSWER_BYTES)
    return { kind: 'error', message: 'Answer too long. An answer and its comment can be up to 32 KB.' };
  const isDecline = 'declines' in answer;
  const result = await inbound.submitAnswer({
    kind: isDecline ? 'decline' : 'answer',
    person,
    via: 'slack',
    conversationId,
    questionId,
    content: isDecline ? {} : answer,
    receivedAt,
    // The same answer by the same person counts once, however often Slack delivers it.
    identity: [isDecline ? 'declineQuestion' : 'answerQuestion', conversationId, questionId, askedAt, person, answer],
    onDurable,
  });
  return toSlackResult(result, person, title, OUTCOME_UNKNOWN);
}

type ReferencedQuestion = Extract<QuestionLookup, { status: 'found' }>;

/** Finds the question, if `askedAt` shows that it is still the same one. */
export async function findReferencedQuestion(
  inbound: InboundDeps,
  person: string,
  { conversation, question: questionId, askedAt }: SlackQuestionRef,
): Promise<ReferencedQuestion | SlackSubmitResult> {
  const found = await inbound.findQuestion(person, conversation, questionId);
  if (found.status !== 'found') return toSlackResult(found, person, '', TEMPORAL_SLOW);
  return found.question.askedAt === askedAt ? found : { kind: 'notFound' };
}

const OUTCOME_UNKNOWN = "We're not sure your answer arrived. Send it again; it only counts once.";
const TEMPORAL_SLOW = 'Temporal did not respond in time, so nothing was accepted. Try again in a moment.';

/** Maps the result to what Slack shows. */
function toSlackResult(
  result: AnswerResult | AnswerRefusal,
  name: string,
  title: string,
  timeoutMessage: string,
): SlackSubmitResult {
  switch (result.status) {
    case 'accepted':
    case 'queued':
      return { kind: result.status };
    case 'alreadyResolved':
      return { kind: 'alreadyResolved', question: result.question, title };
    case 'invalid':
      return { kind: 'invalid', issues: result.issues };
    case 'forbidden':
      return { kind: 'forbidden', name };
    case 'conversationNotFound':
    case 'questionNotFound':
      return { kind: 'notFound', name };
    case 'outcomeUnknown':
      return { kind: 'error', message: timeoutMessage, isUnavailable: true };
    case 'unavailable':
      return { kind: 'error', message: result.detail, isUnavailable: result.code === 'temporal_unavailable' };
    case 'undecided':
    case 'idempotencyConflict':
      return { kind: 'error', message: result.detail };
  }
}

/** Dependencies of the inbound Slack handlers. */
export interface SlackInboundDeps {
  inbound: InboundDeps;
  settings: SlackSettings;
  slack: SlackClient;
  resolvePerson: SlackPersonResolver;
  /** True the first time it is called with a key. */
  isNew(key: string): boolean;
}
