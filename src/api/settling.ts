import type { Question } from '#contract/question';
import type { AnswerResponse } from '#contract/responses';
import type { MessageResult } from '#core/conversation/state';
import { isPastDeadline } from '#core/questions/resolve';
import type { answerQuestionSignal } from '#workflows/messages';
import { findToActOn, mayAct } from './access';
import type { Caller } from './caller';
import { refusalOf } from './errors';
import type { Gateway } from './gateway';
import { type Content, faultsOf, refuseInvalid, tooLate, Undecided } from './not-taken';
import { readQuestion } from './reading';
import { isClosed, type Run } from './run';
import { earlierVerdict, type Once, refuseOtherBody, untilTold } from './verdicts';

export type Told = { confirmed: boolean } & AnswerResponse;

/** Settle a question, and say how that went to whoever counts. */
export async function settle(...given: Parameters<typeof settleNow>): Promise<Told> {
  const [gateway, , , signal, { via, receivedAt }] = given;
  const kind = signal.name === 'answerQuestion' ? ('answer' as const) : ('decline' as const);
  const tell = (reply: string, agent?: string) =>
    gateway.tellAnswer({ kind, via, reply, agent, seconds: (Date.now() - receivedAt) / 1_000 });
  try {
    const told = await settleNow(...given);
    tell(told.confirmed ? '200' : '202', told.question.agent);
    return told;
  } catch (error) {
    tell(refusalOf(error).code);
    throw error;
  }
}

/**
 * Settle a question by a signal, which is durable with no worker up, and tell what came of it: describe, check,
 * signal, describe again until the run shows a verdict. Not confirmed: accepted, but no worker has acted on it in time.
 */
async function settleNow(
  gateway: Gateway,
  caller: Caller,
  { id: conversationId, qid: questionId }: { id: string; qid: string },
  signal: typeof answerQuestionSignal,
  content: Content,
  once: Once,
): Promise<Told> {
  // Somebody has just been shown this question, and what it asks never changes. If it was settled since, the verdict tells.
  const shown = gateway.recallAsking(conversationId, questionId);
  const asked = shown && mayAct(caller, shown.memo.start.access) ? shown.memo.question : null;
  const isNew = shown && asked && !(await earlierVerdict(gateway, shown, once));
  if (isNew && faultsOf(asked, content).length === 0) return send(gateway, asked, signal, content, once);

  const run = await findToActOn(gateway, caller, conversationId);
  const earlier = await earlierVerdict(gateway, run, once);
  if (earlier) return settledEarlier(gateway, run, earlier, once);
  const question = await readOpen(gateway, run, questionId);
  refuseInvalid(question, content);
  return send(gateway, question, signal, content, once);
}

/** What came of it the first time. The verdict may be newer than what was read of the run: then that is read again. */
async function settledEarlier(gateway: Gateway, run: Run, earlier: MessageResult, once: Once): Promise<Told> {
  const question = await readQuestion(gateway, run, earlier.on ?? 'latest');
  const conversation = { id: run.id, status: run.memo.conversation.status };
  if (question.status !== 'pending') return { confirmed: true, question, conversation };
  const standing = await untilTold(gateway, run.id, (seen) => verdictOn(gateway, seen, question, once));
  return standing ? { confirmed: true, ...standing } : { confirmed: false, question, conversation };
}

/** The question, if it can still be settled. */
export async function readOpen(gateway: Gateway, run: Run, questionId: string): Promise<Question> {
  const question = await readQuestion(gateway, run, questionId);
  if (question.status !== 'pending') throw tooLate(question);
  return question;
}

async function send(
  gateway: Gateway,
  question: Question,
  signal: typeof answerQuestionSignal,
  content: Content,
  once: Once,
): Promise<Told> {
  const { id: questionId, conversationId } = question;
  const look = (run: Run) => verdictOn(gateway, run, question, once);
  const message = { ...content, id: once.id, digest: once.digest, questionId };
  const comesLate = isPastDeadline(question, content.receivedAt);
  const isTaken = !comesLate && (await gateway.signal(conversationId, signal, message));
  // Not taken as the conversation has ended: nobody has to act for it to be told.
  const told = isTaken || comesLate ? await untilTold(gateway, conversationId, look) : undefined;
  if (isTaken && !told)
    return { confirmed: false, question, conversation: { id: conversationId, status: 'waiting_for_input' } };
  const standing = told ?? (await look(await gateway.find(conversationId)));
  if (!standing) throw new Undecided();
  return { confirmed: true, ...standing };
}

/** The question has one outcome, and this tells whose it was. Nothing while it is open. */
async function verdictOn(gateway: Gateway, run: Run, asked: Question, once: Once): Promise<AnswerResponse | undefined> {
  // The key did something else meanwhile: then this was not heard, and never will be.
  const other = run.memo.verdicts.find((verdict) => verdict.id === once.id && verdict.on !== asked.id);
  if (other) refuseOtherBody(other, once);
  if (!isClosed(run) && run.memo.question?.id === asked.id) return undefined;
  const question = await readQuestion(gateway, run, asked.id);
  const shown = run.memo.verdicts.find((candidate) => candidate.on === asked.id);
  const verdict = shown ?? (await gateway.verdict(run, once.id));
  if (verdict?.id !== once.id) throw tooLate(question);
  refuseOtherBody(verdict, once);
  return { question, conversation: { id: run.id, status: run.memo.conversation.status } };
}
