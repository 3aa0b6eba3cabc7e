import type { Conversation } from '../contract/conversation';
import type { ProblemCode } from '../contract/problem';
import type { Fault, Question } from '../contract/question';
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

export type Told = { confirmed: boolean } & Standing;

/**
 * Settle a question by a signal, which is durable with no worker up, and tell what came of it: describe, check,
 * signal, describe again until the run shows a verdict. Not confirmed: accepted, but no worker has acted on it in time.
 */
export async function settle(
  gateway: Gateway,
  conversationId: string,
  questionId: string,
  signal: typeof answerQuestion,
  effect: Effect,
): Promise<Told> {
  // Somebody has just been shown this question, and what it asks never changes. If it was settled since, the verdict tells.
  const shown = gateway.recallQuestion(conversationId, questionId);
  if (shown && faultsOf(shown, effect).length === 0) return send(gateway, shown, signal, effect);

  const run = await gateway.find(conversationId);
  const earlier = run.memo.verdicts.find((verdict) => verdict.id === effect.id);
  if (earlier) return repeated(gateway, run, earlier, effect);
  const question = await readQuestion(gateway, run, questionId);
  if (question.status !== 'pending') throw tooLate(question);
  refuseInvalid(question, effect);
  return send(gateway, question, signal, effect);
}

async function send(
  gateway: Gateway,
  question: Question,
  signal: typeof answerQuestion,
  effect: Effect,
): Promise<Told> {
  const { id: questionId, conversationId, expiresAt } = question;
  const isLate = expiresAt !== null && effect.receivedAt >= Date.parse(expiresAt);
  if (!isLate) await gateway.signal(conversationId, signal, { ...effect, questionId });
  const standing = await untilTold(gateway, conversationId, (run) =>
    verdictOn(gateway, run, question, effect),
  );
  if (standing) return { confirmed: true, ...standing };
  if (expiresAt !== null && isLate) {
    throw tooLate({ ...question, status: 'timed_out', outcome: timeoutOf(question, Date.parse(expiresAt)) });
  }
  return { confirmed: false, question, conversation: { id: conversationId, status: 'waiting_for_input' } };
}

function faultsOf(question: Question, effect: Effect): Fault[] {
  if (effect.answers === undefined && effect.answer === undefined) return [];
  const checked = checkAnswer(question, effect);
  return checked.ok ? [] : checked.faults;
}

function refuseInvalid(question: Question, effect: Effect): void {
  const errors = faultsOf(question, effect);
  if (errors.length === 0) return;
  const named = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  throw new Refusal('invalid_answer', `The answer was not taken, and the question is still open. ${named}`, {
    errors,
  });
}

/** The question has one outcome, and this tells whose it was. */
async function verdictOn(
  gateway: Gateway,
  run: Run,
  asked: Question,
  effect: Effect,
): Promise<Standing | undefined> {
  const verdict = run.memo.verdicts.find((candidate) => candidate.on === asked.id);
  if (!verdict && !isClosed(run)) return undefined;
  const question = await readQuestion(gateway, run, asked.id);
  if (verdict?.id !== effect.id) throw tooLate(question);
  refuseOtherBody(verdict, effect);
  return { question, conversation: { id: run.id, status: run.memo.conversation.status } };
}

async function repeated(gateway: Gateway, run: Run, earlier: Verdict, effect: Effect): Promise<Told> {
  refuseOtherBody(earlier, effect);
  const question = await readQuestion(gateway, run, earlier.on ?? 'latest');
  return { confirmed: true, question, conversation: { id: run.id, status: run.memo.conversation.status } };
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
