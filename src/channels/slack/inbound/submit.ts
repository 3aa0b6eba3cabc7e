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

/** What somebody says to a question: an answer, that they will not give one, or something that is neither. */
export type SlackAnswer =
  | { answer?: unknown; answers?: unknown; comment?: string }
  | { declines: true }
  | { misfit: string };

export interface SlackSubmission extends SlackQuestionRef {
  /** What they say, read once the question is known. */
  say(question: Question): SlackAnswer;
  /** Heard as soon as Temporal has it: from then on it is not lost. */
  onKept?(): void;
}

/** What came of it. */
export type SlackSubmitResult =
  | { kind: 'taken' }
  /** Durable, and no worker has acted on it yet. */
  | { kind: 'kept' }
  | { kind: 'late'; question: Question; title: string }
  | { kind: 'invalid'; faults: ValidationIssue[] }
  | { kind: 'misfit'; words: string }
  /** Known by that name, and not one of those who may. */
  | { kind: 'forbidden'; name: string }
  /** Forgotten, or another by now; or it is not theirs to know of. */
  | { kind: 'gone'; name?: string }
  | { kind: 'unknown' }
  | { kind: 'trouble'; words: string; isDown?: true };

/** Settle the question as that person. Nothing is thrown: whatever comes of it has to be told in Slack. */
export async function submitSlackAnswer(
  context: ApiDeps,
  caller: Principal,
  deed: SlackSubmission,
): Promise<SlackSubmitResult> {
  const receivedAt = context.now();
  const { conversation: id, question: qid, askedAt } = deed;
  try {
    const { question, title } = await findReferencedQuestion(context, caller, deed);
    const said = deed.say(question);
    if ('misfit' in said)
      return question.status === 'pending' ? { kind: 'misfit', words: said.misfit } : { kind: 'late', question, title };
    if (Buffer.byteLength(JSON.stringify(said)) > MAX_ANSWER_BYTES)
      return { kind: 'trouble', words: 'That is too much: an answer with its comment is at most 32 KB.' };
    const declines = 'declines' in said;
    const signal = declines ? declineQuestionSignal : answerQuestionSignal;
    const content = { ...(declines ? {} : said), by: caller.name ?? undefined, via: 'slack', receivedAt };
    // The same thing said by the same person is one thing, however often it comes.
    const what = ['slack', signal.name, id, qid, askedAt, caller.name, said];
    const once = idempotencyFrom(context.secret, what, said);
    const settling = submitAnswer(
      notifyWhenAccepted(context.gateway, deed),
      caller,
      { id, qid },
      signal,
      content,
      once,
    );
    return await settling.then(
      ({ confirmed }): SlackSubmitResult => ({ kind: confirmed ? 'taken' : 'kept' }),
      (error) => toUnresolvedResult(error, title),
    );
  } catch (error) {
    return toSlackSubmitError(context, caller, error);
  }
}

/** The question, if it is the one that was asked then. */
export async function findReferencedQuestion(
  { gateway }: ApiDeps,
  caller: Principal,
  { conversation, question: qid, askedAt }: SlackQuestionRef,
): Promise<{ question: Question; title: string }> {
  const run = await findActionable(gateway, caller, conversation);
  const question = await readQuestion(gateway, run, qid);
  if (question.askedAt !== askedAt) throw new QuestionReplacedError();
  return { question, title: run.memo.conversation.title };
}

class QuestionReplacedError extends Error {}

function notifyWhenAccepted(gateway: TemporalGateway, { onKept }: SlackSubmission): TemporalGateway {
  return {
    ...gateway,
    async signal(...given) {
      const isTaken = await gateway.signal(...given);
      if (isTaken) onKept?.();
      return isTaken;
    },
  };
}

const OUTCOME_UNKNOWN =
  'Temporal did not answer in time, so this may have been taken, or not. Do it again: it counts once.';

function toUnresolvedResult(error: unknown, title: string): SlackSubmitResult {
  const question = error instanceof ApiError ? (error.more.question as Question | undefined) : undefined;
  if (question) return { kind: 'late', question, title };
  if (isOutcomeUnknown(error)) return { kind: 'trouble', words: OUTCOME_UNKNOWN, isDown: true };
  throw error;
}

const NOT_FOUND_CODES = ['conversation_not_found', 'question_not_found'];
const TEMPORAL_SLOW = 'Temporal did not answer in time, so nothing was accepted. Try again in a moment.';
const SUBMIT_FAILED = 'Parley failed on this, and it is logged. Answer in the web app instead.';

export function toSlackSubmitError(
  { log }: Pick<ApiDeps, 'log'>,
  caller: Principal | undefined,
  error: unknown,
): SlackSubmitResult {
  if (error instanceof ApiError) {
    if (error.code === 'forbidden') return { kind: 'forbidden', name: caller?.name ?? '' };
    if (NOT_FOUND_CODES.includes(error.code)) return { kind: 'gone', name: caller?.name ?? '' };
    if (error.code === 'invalid_answer') return { kind: 'invalid', faults: error.more.errors ?? [] };
    return { kind: 'trouble', words: error.message };
  }
  if (error instanceof QuestionReplacedError) return { kind: 'gone' };
  const trouble = isOutcomeUnknown(error) ? TEMPORAL_SLOW : describeTemporalError(error);
  if (trouble !== undefined) return { kind: 'trouble', words: trouble, isDown: true };
  const { name, message } = error as Error;
  log.error({ failure: `${name}: ${message}` }, 'an answer in Slack failed');
  return { kind: 'trouble', words: SUBMIT_FAILED };
}

/** What the doors for Slack work with. */
export interface SlackInboundDeps {
  context: ApiDeps;
  settings: SlackSettings;
  slack: SlackClient;
  whoIs: SlackPrincipalResolver;
  /** True the first time it is asked of something. */
  isNew(what: string): boolean;
}
