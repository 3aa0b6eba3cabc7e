import { findToActOn } from '#api/access';
import type { Caller } from '#api/caller';
import type { Context } from '#api/context';
import { Refusal } from '#api/errors';
import type { Gateway } from '#api/gateway';
import { onceBy } from '#api/identity';
import { readQuestion } from '#api/reading';
import { settle } from '#api/settling';
import { mayBeTaken, troubleOf } from '#api/temporal-trouble';
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
  context: Context,
  caller: Caller,
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
    const once = onceBy(context.secret, what, said);
    const settling = settle(notifyWhenAccepted(context.gateway, deed), caller, { id, qid }, signal, content, once);
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
  { gateway }: Context,
  caller: Caller,
  { conversation, question: qid, askedAt }: SlackQuestionRef,
): Promise<{ question: Question; title: string }> {
  const run = await findToActOn(gateway, caller, conversation);
  const question = await readQuestion(gateway, run, qid);
  if (question.askedAt !== askedAt) throw new QuestionReplacedError();
  return { question, title: run.memo.conversation.title };
}

class QuestionReplacedError extends Error {}

function notifyWhenAccepted(gateway: Gateway, { onKept }: SlackSubmission): Gateway {
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
  const question = error instanceof Refusal ? (error.more.question as Question | undefined) : undefined;
  if (question) return { kind: 'late', question, title };
  if (mayBeTaken(error)) return { kind: 'trouble', words: OUTCOME_UNKNOWN, isDown: true };
  throw error;
}

const NOT_FOUND_CODES = ['conversation_not_found', 'question_not_found'];
const TEMPORAL_SLOW = 'Temporal did not answer in time, so nothing was accepted. Try again in a moment.';
const SUBMIT_FAILED = 'Parley failed on this, and it is logged. Answer in the web app instead.';

export function toSlackSubmitError(
  { log }: Pick<Context, 'log'>,
  caller: Caller | undefined,
  error: unknown,
): SlackSubmitResult {
  if (error instanceof Refusal) {
    if (error.code === 'forbidden') return { kind: 'forbidden', name: caller?.name ?? '' };
    if (NOT_FOUND_CODES.includes(error.code)) return { kind: 'gone', name: caller?.name ?? '' };
    if (error.code === 'invalid_answer') return { kind: 'invalid', faults: error.more.errors ?? [] };
    return { kind: 'trouble', words: error.message };
  }
  if (error instanceof QuestionReplacedError) return { kind: 'gone' };
  const trouble = mayBeTaken(error) ? TEMPORAL_SLOW : troubleOf(error);
  if (trouble !== undefined) return { kind: 'trouble', words: trouble, isDown: true };
  const { name, message } = error as Error;
  log.error({ failure: `${name}: ${message}` }, 'an answer in Slack failed');
  return { kind: 'trouble', words: SUBMIT_FAILED };
}

/** What the doors for Slack work with. */
export interface SlackInboundDeps {
  context: Context;
  settings: SlackSettings;
  slack: SlackClient;
  whoIs: SlackPrincipalResolver;
  /** True the first time it is asked of something. */
  isNew(what: string): boolean;
}
