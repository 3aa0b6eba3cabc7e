import type { Conversation } from '../contract/conversation';
import type { ProblemCode } from '../contract/problem';
import type { Question } from '../contract/question';
import { checkAnswer } from '../core/answers';
import { timeoutOf } from '../core/settling';
import type { Verdict } from '../core/state';
import type { answerQuestion } from '../workflows/messages';
import { Refusal } from './errors';
import type { Gateway, Run } from './gateway';
import { isClosed, readQuestion } from './reading';
import { refuseOtherBody, untilTold } from './verdicts';

/** A message to a question, on its way. */
export interface Effect {
  id: string;
  digest: string;
  by?: string;
  via: string;
  receivedAt: number;
  answers?: unknown;
  answer?: unknown;
  comment?: string;
  reason?: string;
}

export interface Standing {
  question: Question;
  conversation: Pick<Conversation, 'id' | 'status'>;
}

/**
 * Settle a question by a signal, which is durable with no worker up, and tell what came of it: describe, check,
 * signal, describe again until the run shows a verdict. `null`: accepted, but no worker has acted on it in time.
 */
export async function settle(
  gateway: Gateway,
  conversationId: string,
  questionId: string,
  signal: typeof answerQuestion,
  effect: Effect,
): Promise<{ confirmed: boolean } & Standing> {
  const run = await gateway.find(conversationId);
  const earlier = run.memo.verdicts.find((verdict) => verdict.id === effect.id);
  if (earlier) return { confirmed: true, ...(await repeated(gateway, run, earlier, effect)) };
  const question = await readQuestion(gateway, run, questionId);
  if (question.status !== 'pending') throw tooLate(question);
  if (effect.answers !== undefined || effect.answer !== undefined) refuseInvalid(question, effect);

  const isLate = question.expiresAt !== null && effect.receivedAt >= Date.parse(question.expiresAt);
  if (!isLate) await gateway.signal(run.id, signal, { ...effect, questionId: question.id });
  const standing = await untilTold(gateway, run.id, (now) => verdictOn(gateway, now, question, effect.id));
  if (standing) return { confirmed: true, ...standing };
  if (isLate)
    throw tooLate({
      ...question,
      status: 'timed_out',
      outcome: timeoutOf(question, Date.parse(question.expiresAt ?? '')),
    });
  return { confirmed: false, question, conversation: { id: run.id, status: run.memo.conversation.status } };
}

function refuseInvalid(question: Question, effect: Effect): void {
  const checked = checkAnswer(question, effect);
  if (checked.ok) return;
  const named = checked.faults.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  throw new Refusal('invalid_answer', `The answer was not taken, and the question is still open. ${named}`, {
    errors: checked.faults,
  });
}

/** The question has one outcome, and this tells whose it was. */
async function verdictOn(
  gateway: Gateway,
  run: Run,
  asked: Question,
  effectId: string,
): Promise<Standing | undefined> {
  const verdict = run.memo.verdicts.find((candidate) => candidate.on === asked.id);
  if (!verdict && !isClosed(run)) return undefined;
  const question = await readQuestion(gateway, run, asked.id);
  if (verdict?.id !== effectId) throw tooLate(question);
  return { question, conversation: { id: run.id, status: run.memo.conversation.status } };
}

async function repeated(gateway: Gateway, run: Run, earlier: Verdict, effect: Effect): Promise<Standing> {
  refuseOtherBody(earlier, effect);
  const question = await readQuestion(gateway, run, earlier.on ?? 'latest');
  return { question, conversation: { id: run.id, status: run.memo.conversation.status } };
}

const SETTLED = {
  answered: 'was answered',
  declined: 'was declined',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
};

function tooLate(question: Question): Refusal {
  const status = question.status === 'pending' ? 'cancelled' : question.status;
  const { by, at } = question.outcome ?? {};
  const who = `${by ? ` by ${by}` : ''}${at ? ` at ${at}` : ''}`;
  const code: ProblemCode = `question_${status}`;
  return new Refusal(code, `The question ${SETTLED[status]}${who}; this changed nothing.`, { question });
}
