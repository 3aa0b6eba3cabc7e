import { createHash, createHmac } from 'node:crypto';
import type { Fault, Question } from '../../contract/question';
import { ANSWER_BYTES } from '../../core/settling';
import { answerQuestion, declineQuestion } from '../../workflows/messages';
import { findToActOn } from '../access';
import type { Caller } from '../caller';
import type { Context } from '../context';
import { Refusal } from '../errors';
import { readQuestion } from '../reading';
import { settle } from '../settling';
import { troubleOf } from '../temporal-trouble';
import type { Once } from '../verdicts';

/** What somebody says to a question: an answer, that they will not give one, or something that is neither. */
export type Saying =
  | { answer?: unknown; answers?: unknown; comment?: string }
  | { declines: true }
  | { misfit: string };

export interface Deed {
  conversation: string;
  question: string;
  /** What they say, read once the question is known. */
  say(question: Question): Saying;
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
  | { kind: 'unknown' }
  | { kind: 'trouble'; words: string; isDown?: true };

/** Settle the question as that person. Nothing is thrown: whatever comes of it has to be told in Slack. */
export async function doIt(context: Context, caller: Caller, deed: Deed): Promise<Result> {
  const receivedAt = context.now();
  const { gateway, secret } = context;
  const { conversation: id, question: qid } = deed;
  try {
    const run = await findToActOn(gateway, caller, id);
    const question = await readQuestion(gateway, run, qid);
    const { title } = run.memo.conversation;
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
    const once = onceOf(secret, [signal.name, id, qid, caller.name, said]);
    const settling = settle(gateway, caller, { id, qid }, signal, content, once);
    return await settling.then(
      ({ confirmed }): Result => ({ kind: confirmed ? 'taken' : 'kept' }),
      (error) => lateOf(error, title),
    );
  } catch (error) {
    return refused(context, caller, error);
  }
}

/** The same thing said by the same person is one thing, however often it comes. */
function onceOf(secret: string, what: unknown[]): Once {
  const text = JSON.stringify(['slack', ...what]);
  return {
    id: createHmac('sha256', secret).update(text).digest('hex').slice(0, 32),
    digest: createHash('sha256').update(text).digest('hex').slice(0, 32),
    isKeyed: true,
  };
}

function lateOf(error: unknown, title: string): Result {
  const question = error instanceof Refusal ? (error.more.question as Question | undefined) : undefined;
  if (question) return { kind: 'late', question, title };
  throw error;
}

const NOT_YOURS = ['forbidden', 'conversation_not_found', 'question_not_found'];
const DOWN = 'Parley cannot reach Temporal right now, and nothing was accepted. Try again in a minute.';
const FAILED = 'Parley failed on this, and it is logged. Answer in the web app instead.';

export function refused({ log }: Pick<Context, 'log'>, caller: Caller | undefined, error: unknown): Result {
  if (error instanceof Refusal) {
    if (NOT_YOURS.includes(error.code)) return { kind: 'forbidden', name: caller?.name ?? '' };
    if (error.code === 'invalid_answer') return { kind: 'invalid', faults: error.more.errors ?? [] };
    return { kind: 'trouble', words: error.message };
  }
  if (troubleOf(error) !== undefined) return { kind: 'trouble', words: DOWN, isDown: true };
  const { name, message } = error as Error;
  log.error({ failure: `${name}: ${message}` }, 'an answer in Slack failed');
  return { kind: 'trouble', words: FAILED };
}
