import type { Principal } from '#api/middleware/authentication';
import { canAct, findActionable } from '#api/middleware/authorization';
import { ApiError, toApiError } from '#api/middleware/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { ProblemCode } from '#contract/problem';
import type { Question, ValidationIssue } from '#contract/question';
import type { AnswerResponse } from '#contract/responses';
import type { MessageResult } from '#core/conversation/state';
import { isPastDeadline } from '#core/questions/resolve';
import { validateAnswer } from '#core/questions/validate-answer';
import type { answerQuestionSignal } from '#workflows/messages';
import { assertSameBody, findEarlierResult, type Idempotency, waitForMessageResult } from './message-results';
import { readQuestion } from './read-conversation';

export type AnswerSubmissionResult = { confirmed: boolean } & AnswerResponse;

/** Settle a question, and say how that went to whoever counts. */
export async function submitAnswer(...given: Parameters<typeof settleNow>): Promise<AnswerSubmissionResult> {
  const [gateway, , , signal, { via, receivedAt }] = given;
  const kind = signal.name === 'answerQuestion' ? ('answer' as const) : ('decline' as const);
  const tell = (reply: string, agent?: string) =>
    gateway.tellAnswer({ kind, via, reply, agent, seconds: (Date.now() - receivedAt) / 1_000 });
  try {
    const told = await settleNow(...given);
    tell(told.confirmed ? '200' : '202', told.question.agent);
    return told;
  } catch (error) {
    tell(toApiError(error).code);
    throw error;
  }
}

/**
 * Settle a question by a signal, which is durable with no worker up, and tell what came of it: describe, check,
 * signal, describe again until the run shows a verdict. Not confirmed: accepted, but no worker has acted on it in time.
 */
async function settleNow(
  gateway: TemporalGateway,
  caller: Principal,
  { id: conversationId, qid: questionId }: { id: string; qid: string },
  signal: typeof answerQuestionSignal,
  content: AnswerSubmission,
  once: Idempotency,
): Promise<AnswerSubmissionResult> {
  // Somebody has just been shown this question, and what it asks never changes. If it was settled since, the verdict tells.
  const shown = gateway.recallAsking(conversationId, questionId);
  const asked = shown && canAct(caller, shown.memo.start.access) ? shown.memo.question : null;
  const isNew = shown && asked && !(await findEarlierResult(gateway, shown, once));
  if (isNew && findAnswerIssues(asked, content).length === 0) return send(gateway, asked, signal, content, once);

  const run = await findActionable(gateway, caller, conversationId);
  const earlier = await findEarlierResult(gateway, run, once);
  if (earlier) return settledEarlier(gateway, run, earlier, once);
  const question = await readOpenQuestion(gateway, run, questionId);
  rejectInvalid(question, content);
  return send(gateway, question, signal, content, once);
}

/** What came of it the first time. The verdict may be newer than what was read of the run: then that is read again. */
async function settledEarlier(
  gateway: TemporalGateway,
  run: Execution,
  earlier: MessageResult,
  once: Idempotency,
): Promise<AnswerSubmissionResult> {
  const question = await readQuestion(gateway, run, earlier.on ?? 'latest');
  const conversation = { id: run.id, status: run.memo.conversation.status };
  if (question.status !== 'pending') return { confirmed: true, question, conversation };
  const standing = await waitForMessageResult(gateway, run.id, (seen) => verdictOn(gateway, seen, question, once));
  return standing ? { confirmed: true, ...standing } : { confirmed: false, question, conversation };
}

/** The question, if it can still be settled. */
export async function readOpenQuestion(
  gateway: TemporalGateway,
  run: Execution,
  questionId: string,
): Promise<Question> {
  const question = await readQuestion(gateway, run, questionId);
  if (question.status !== 'pending') throw alreadyResolvedError(question);
  return question;
}

async function send(
  gateway: TemporalGateway,
  question: Question,
  signal: typeof answerQuestionSignal,
  content: AnswerSubmission,
  once: Idempotency,
): Promise<AnswerSubmissionResult> {
  const { id: questionId, conversationId } = question;
  const look = (run: Execution) => verdictOn(gateway, run, question, once);
  const message = { ...content, id: once.id, digest: once.digest, questionId };
  const comesLate = isPastDeadline(question, content.receivedAt);
  const isTaken = !comesLate && (await gateway.signal(conversationId, signal, message));
  // Not taken as the conversation has ended: nobody has to act for it to be told.
  const told = isTaken || comesLate ? await waitForMessageResult(gateway, conversationId, look) : undefined;
  if (isTaken && !told)
    return { confirmed: false, question, conversation: { id: conversationId, status: 'waiting_for_input' } };
  const standing = told ?? (await look(await gateway.find(conversationId)));
  if (!standing) throw new UndecidedError();
  return { confirmed: true, ...standing };
}

/** The question has one outcome, and this tells whose it was. Nothing while it is open. */
async function verdictOn(
  gateway: TemporalGateway,
  run: Execution,
  asked: Question,
  once: Idempotency,
): Promise<AnswerResponse | undefined> {
  // The key did something else meanwhile: then this was not heard, and never will be.
  const other = run.memo.verdicts.find((verdict) => verdict.id === once.id && verdict.on !== asked.id);
  if (other) assertSameBody(other, once);
  if (!isExecutionClosed(run) && run.memo.question?.id === asked.id) return undefined;
  const question = await readQuestion(gateway, run, asked.id);
  const shown = run.memo.verdicts.find((candidate) => candidate.on === asked.id);
  const verdict = shown ?? (await gateway.verdict(run, once.id));
  if (verdict?.id !== once.id) throw alreadyResolvedError(question);
  assertSameBody(verdict, once);
  return { question, conversation: { id: run.id, status: run.memo.conversation.status } };
}

/** What a message to a question says, and when it came. */
export interface AnswerSubmission {
  answers?: unknown;
  answer?: unknown;
  comment?: string;
  reason?: string;
  by?: string;
  via: string;
  receivedAt: number;
}

export function rejectLate(question: Question, receivedAt: number): void {
  if (isPastDeadline(question, receivedAt)) throw new UndecidedError();
}

/** It may not have timed out: what was received in time counts also where Temporal or a worker gets to it later. */
export class UndecidedError extends ApiError {
  constructor() {
    super(
      'worker_unavailable',
      'It is too late for this question, so this was not taken. What became of the question is not known until a worker has looked at what came in time: try again in a moment.',
    );
  }
}

function findAnswerIssues(question: Question, content: AnswerSubmission): ValidationIssue[] {
  if (!('answers' in content) && !('answer' in content)) return [];
  const checked = validateAnswer(question, content);
  return checked.ok ? [] : checked.faults;
}

function rejectInvalid(question: Question, content: AnswerSubmission): void {
  const errors = findAnswerIssues(question, content);
  if (errors.length === 0) return;
  const named = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  throw new ApiError('invalid_answer', `The answer was not taken, and the question is still open. ${named}`, {
    errors,
  });
}

const SETTLED = {
  answered: 'was answered',
  declined: 'was declined',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
};

export function alreadyResolvedError(question: Question): ApiError {
  const status = question.status === 'pending' ? 'cancelled' : question.status;
  const { by, at } = question.outcome ?? {};
  const who = `${by ? ` by ${by}` : ''}${at ? ` at ${at}` : ''}`;
  const code: ProblemCode = `question_${status}`;
  return new ApiError(code, `The question ${SETTLED[status]}${who}; this changed nothing.`, { question });
}
