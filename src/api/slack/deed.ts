import { findToActOn } from '#api/access';
import type { Caller } from '#api/caller';
import type { Context } from '#api/context';
import { Refusal } from '#api/errors';
import type { Gateway } from '#api/gateway';
import { onceBy } from '#api/identity';
import { readQuestion } from '#api/reading';
import { settle } from '#api/settling';
import { mayBeTaken, troubleOf } from '#api/temporal-trouble';
import type { Asking } from '#channels/slack/buttons';
import type { Fault, Question } from '#contract/question';
import { ANSWER_BYTES } from '#core/settling';
import { answerQuestion, declineQuestion } from '#workflows/messages';

/** What somebody says to a question: an answer, that they will not give one, or something that is neither. */
export type Saying =
  | { answer?: unknown; answers?: unknown; comment?: string }
  | { declines: true }
  | { misfit: string };

export interface Deed extends Asking {
  /** What they say, read once the question is known. */
  say(question: Question): Saying;
  /** Heard as soon as Temporal has it: from then on it is not lost. */
  onKept?(): void;
}

/** What came of it. */
export type Result =
  | { kind: 'taken' }
  /** Durable, and no worker has acted on it yet. */
  | { kind: 'kept' }
  | { kind: 'late'; question: Question; title: string }
  | { kind: 'invalid'; faults: Fault[] }
  | { kind: 'misfit'; words: string }
  /** Known by that name, and not one of those who may. */
  | { kind: 'forbidden'; name: string }
  /** Forgotten, or another by now; or it is not theirs to know of. */
  | { kind: 'gone'; name?: string }
  | { kind: 'unknown' }
  | { kind: 'trouble'; words: string; isDown?: true };

/** Settle the question as that person. Nothing is thrown: whatever comes of it has to be told in Slack. */
export async function doIt(context: Context, caller: Caller, deed: Deed): Promise<Result> {
  const receivedAt = context.now();
  const { conversation: id, question: qid, askedAt } = deed;
  try {
    const { question, title } = await findAsked(context, caller, deed);
    const said = deed.say(question);
    if ('misfit' in said)
      return question.status === 'pending'
        ? { kind: 'misfit', words: said.misfit }
        : { kind: 'late', question, title };
    if (Buffer.byteLength(JSON.stringify(said)) > ANSWER_BYTES)
      return { kind: 'trouble', words: 'That is too much: an answer with its comment is at most 32 KB.' };
    const declines = 'declines' in said;
    const signal = declines ? declineQuestion : answerQuestion;
    const content = { ...(declines ? {} : said), by: caller.name ?? undefined, via: 'slack', receivedAt };
    // The same thing said by the same person is one thing, however often it comes.
    const what = ['slack', signal.name, id, qid, askedAt, caller.name, said];
    const once = onceBy(context.secret, what, said);
    const settling = settle(heeding(context.gateway, deed), caller, { id, qid }, signal, content, once);
    return await settling.then(
      ({ confirmed }): Result => ({ kind: confirmed ? 'taken' : 'kept' }),
      (error) => unsettled(error, title),
    );
  } catch (error) {
    return refused(context, caller, error);
  }
}

/** The question, if it is the one that was asked then. */
export async function findAsked(
  { gateway }: Context,
  caller: Caller,
  { conversation, question: qid, askedAt }: Asking,
): Promise<{ question: Question; title: string }> {
  const run = await findToActOn(gateway, caller, conversation);
  const question = await readQuestion(gateway, run, qid);
  if (question.askedAt !== askedAt) throw new Another();
  return { question, title: run.memo.conversation.title };
}

class Another extends Error {}

function heeding(gateway: Gateway, { onKept }: Deed): Gateway {
  return {
    ...gateway,
    async signal(...given) {
      const isTaken = await gateway.signal(...given);
      if (isTaken) onKept?.();
      return isTaken;
    },
  };
}

const UNSURE =
  'Temporal did not answer in time, so this may have been taken, or not. Do it again: it counts once.';

function unsettled(error: unknown, title: string): Result {
  const question = error instanceof Refusal ? (error.more.question as Question | undefined) : undefined;
  if (question) return { kind: 'late', question, title };
  if (mayBeTaken(error)) return { kind: 'trouble', words: UNSURE, isDown: true };
  throw error;
}

const NOT_THERE = ['conversation_not_found', 'question_not_found'];
const SLOW = 'Temporal did not answer in time, so nothing was accepted. Try again in a moment.';
const FAILED = 'Parley failed on this, and it is logged. Answer in the web app instead.';

export function refused({ log }: Pick<Context, 'log'>, caller: Caller | undefined, error: unknown): Result {
  if (error instanceof Refusal) {
    if (error.code === 'forbidden') return { kind: 'forbidden', name: caller?.name ?? '' };
    if (NOT_THERE.includes(error.code)) return { kind: 'gone', name: caller?.name ?? '' };
    if (error.code === 'invalid_answer') return { kind: 'invalid', faults: error.more.errors ?? [] };
    return { kind: 'trouble', words: error.message };
  }
  if (error instanceof Another) return { kind: 'gone' };
  const trouble = mayBeTaken(error) ? SLOW : troubleOf(error);
  if (trouble !== undefined) return { kind: 'trouble', words: trouble, isDown: true };
  const { name, message } = error as Error;
  log.error({ failure: `${name}: ${message}` }, 'an answer in Slack failed');
  return { kind: 'trouble', words: FAILED };
}
