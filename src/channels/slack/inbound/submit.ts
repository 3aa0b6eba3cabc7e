import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFrom } from '#api/middleware/idempotency';
import { readQuestion } from '#api/services/read-conversation';
import { submitAnswer } from '#api/services/submit-answer';
import { describeTemporalError, isOutcomeUnknown } from '#api/temporal/errors';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { SlackQuestionRef } from '#channels/slack/blocks/buttons';
import type { SlackClient } from '#channels/slack/client';
import type { SlackSettings } from '#contract/channel-settings';
import type { Question, ValidationIssue } from '#contract/question';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { answerQuestionSignal, declineQuestionSignal } from '#workflows/messages';
import type { SlackPrincipalResolver } from './resolve-principal';

/** What a Slack user submits: an answer, a decline, or something that can be neither, with the reason. */
export type SlackAnswer =
  | { answer?: unknown; answers?: unknown; comment?: string }
  | { declines: true }
  | { rejection: string };

export interface SlackSubmission extends SlackQuestionRef {
  /** Builds the answer once the question is known. */
  toAnswer(question: Question): SlackAnswer;
  /** Called as soon as Temporal has the answer: from then on it cannot be lost. */
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
  /** Parley knows them by that name, but they may not answer. */
  | { kind: 'forbidden'; name: string }
  /** The question is gone or replaced, or the user may not see it. */
  | { kind: 'notFound'; name?: string }
  | { kind: 'unknownUser' }
  | { kind: 'error'; message: string; isUnavailable?: true };

/** Answers or declines the question as this principal. Never throws, since every result has to be reported in Slack. */
export async function submitSlackAnswer(
  api: ApiDeps,
  principal: Principal,
  submission: SlackSubmission,
): Promise<SlackSubmitResult> {
  const receivedAt = api.now();
  const { conversation: id, question: qid, askedAt } = submission;
  try {
    const { question, title } = await findReferencedQuestion(api, principal, submission);
    const answer = submission.toAnswer(question);
    if ('rejection' in answer)
      return question.status === 'pending'
        ? { kind: 'rejected', message: answer.rejection }
        : { kind: 'alreadyResolved', question, title };
    if (Buffer.byteLength(JSON.stringify(answer)) > MAX_ANSWER_BYTES)
      return { kind: 'error', message: 'That is too much: an answer with its comment is at most 32 KB.' };
    const isDecline = 'declines' in answer;
    const signal = isDecline ? declineQuestionSignal : answerQuestionSignal;
    const content = { ...(isDecline ? {} : answer), by: principal.name ?? undefined, via: 'slack', receivedAt };
    // The same answer by the same person counts once, however often Slack delivers it.
    const identity = ['slack', signal.name, id, qid, askedAt, principal.name, answer];
    const idempotency = idempotencyFrom(api.secret, identity, answer);
    const submitted = submitAnswer(
      notifyWhenAccepted(api.gateway, submission),
      principal,
      { id, qid },
      signal,
      content,
      idempotency,
    );
    return await submitted.then(
      ({ confirmed }): SlackSubmitResult => ({ kind: confirmed ? 'accepted' : 'queued' }),
      (error) => toUnresolvedResult(error, title),
    );
  } catch (error) {
    return toSlackSubmitError(api, principal, error);
  }
}

/** Finds the question, if `askedAt` shows that it is still the same one. */
export async function findReferencedQuestion(
  { gateway }: ApiDeps,
  principal: Principal,
  { conversation, question: qid, askedAt }: SlackQuestionRef,
): Promise<{ question: Question; title: string }> {
  const execution = await findActionable(gateway, principal, conversation);
  const question = await readQuestion(gateway, execution, qid);
  if (question.askedAt !== askedAt) throw new QuestionReplacedError();
  return { question, title: execution.memo.conversation.title };
}

class QuestionReplacedError extends Error {}

function notifyWhenAccepted(gateway: TemporalGateway, { onAccepted }: SlackSubmission): TemporalGateway {
  return {
    ...gateway,
    async signal(...args) {
      const isAccepted = await gateway.signal(...args);
      if (isAccepted) onAccepted?.();
      return isAccepted;
    },
  };
}

const OUTCOME_UNKNOWN =
  'Temporal did not answer in time, so this may have been taken, or not. Do it again: it counts once.';

function toUnresolvedResult(error: unknown, title: string): SlackSubmitResult {
  const question = error instanceof ApiError ? (error.extensions.question as Question | undefined) : undefined;
  if (question) return { kind: 'alreadyResolved', question, title };
  if (isOutcomeUnknown(error)) return { kind: 'error', message: OUTCOME_UNKNOWN, isUnavailable: true };
  throw error;
}

const NOT_FOUND_CODES = ['conversation_not_found', 'question_not_found'];
const TEMPORAL_SLOW = 'Temporal did not answer in time, so nothing was accepted. Try again in a moment.';
const SUBMIT_FAILED = 'Parley failed on this, and it is logged. Answer in the web app instead.';

export function toSlackSubmitError(
  { log }: Pick<ApiDeps, 'log'>,
  principal: Principal | undefined,
  error: unknown,
): SlackSubmitResult {
  if (error instanceof ApiError) {
    if (error.code === 'forbidden') return { kind: 'forbidden', name: principal?.name ?? '' };
    if (NOT_FOUND_CODES.includes(error.code)) return { kind: 'notFound', name: principal?.name ?? '' };
    if (error.code === 'invalid_answer') return { kind: 'invalid', issues: error.extensions.errors ?? [] };
    return { kind: 'error', message: error.message };
  }
  if (error instanceof QuestionReplacedError) return { kind: 'notFound' };
  const temporalError = isOutcomeUnknown(error) ? TEMPORAL_SLOW : describeTemporalError(error);
  if (temporalError !== undefined) return { kind: 'error', message: temporalError, isUnavailable: true };
  const { name, message } = error as Error;
  log.error({ failure: `${name}: ${message}` }, 'an answer in Slack failed');
  return { kind: 'error', message: SUBMIT_FAILED };
}

/** Dependencies of the inbound Slack handlers. */
export interface SlackInboundDeps {
  api: ApiDeps;
  settings: SlackSettings;
  slack: SlackClient;
  resolvePrincipal: SlackPrincipalResolver;
  /** True the first time it is called with a key. */
  isNew(key: string): boolean;
}
