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

/** Resolves a question and records the reply in the metrics. */
export async function submitAnswer(...args: Parameters<typeof resolveQuestion>): Promise<AnswerSubmissionResult> {
  const [gateway, , , signal, { via, receivedAt }] = args;
  const kind = signal.name === 'answerQuestion' ? ('answer' as const) : ('decline' as const);
  const record = (reply: string, agent?: string) =>
    gateway.recordAnswer({ kind, via, reply, agent, seconds: (Date.now() - receivedAt) / 1_000 });
  try {
    const result = await resolveQuestion(...args);
    record(result.confirmed ? '200' : '202', result.question.agent);
    return result;
  } catch (error) {
    record(toApiError(error).code);
    throw error;
  }
}

/**
 * Settle a question by a signal, which is durable with no worker up, and tell what came of it: describe, check,
 * signal, describe again until the run shows a result. Not confirmed: accepted, but no worker has acted on it in time.
 */
async function resolveQuestion(
  gateway: TemporalGateway,
  caller: Principal,
  { id: conversationId, qid: questionId }: { id: string; qid: string },
  signal: typeof answerQuestionSignal,
  content: AnswerSubmission,
  idempotency: Idempotency,
): Promise<AnswerSubmissionResult> {
  // Somebody has just been shown this question, and what it asks never changes. If it was resolved since, the message result tells.
  const cached = gateway.findCachedOpenQuestion(conversationId, questionId);
  const cachedQuestion = cached && canAct(caller, cached.memo.start.access) ? cached.memo.question : null;
  const isNew = cached && cachedQuestion && !(await findEarlierResult(gateway, cached, idempotency));
  if (isNew && findAnswerIssues(cachedQuestion, content).length === 0)
    return sendSignal(gateway, cachedQuestion, signal, content, idempotency);

  const run = await findActionable(gateway, caller, conversationId);
  const earlier = await findEarlierResult(gateway, run, idempotency);
  if (earlier) return readEarlierOutcome(gateway, run, earlier, idempotency);
  const question = await readOpenQuestion(gateway, run, questionId);
  rejectInvalid(question, content);
  return sendSignal(gateway, question, signal, content, idempotency);
}

/** The outcome of the earlier request. The result may be newer than the run that was read; then the run is read again. */
async function readEarlierOutcome(
  gateway: TemporalGateway,
  run: Execution,
  earlier: MessageResult,
  idempotency: Idempotency,
): Promise<AnswerSubmissionResult> {
  const question = await readQuestion(gateway, run, earlier.questionId ?? 'latest');
  const conversation = { id: run.id, status: run.memo.conversation.status };
  if (question.status !== 'pending') return { confirmed: true, question, conversation };
  const outcome = await waitForMessageResult(gateway, run.id, (current) =>
    findOutcome(gateway, current, question, idempotency),
  );
  return outcome ? { confirmed: true, ...outcome } : { confirmed: false, question, conversation };
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

async function sendSignal(
  gateway: TemporalGateway,
  question: Question,
  signal: typeof answerQuestionSignal,
  content: AnswerSubmission,
  idempotency: Idempotency,
): Promise<AnswerSubmissionResult> {
  const { id: questionId, conversationId } = question;
  const findResponse = (run: Execution) => findOutcome(gateway, run, question, idempotency);
  const message = { ...content, id: idempotency.id, digest: idempotency.digest, questionId };
  const isLate = isPastDeadline(question, content.receivedAt);
  const isAccepted = !isLate && (await gateway.signal(conversationId, signal, message));
  // Not taken as the conversation has ended: nobody has to act for it to be told.
  const awaited = isAccepted || isLate ? await waitForMessageResult(gateway, conversationId, findResponse) : undefined;
  if (isAccepted && !awaited)
    return { confirmed: false, question, conversation: { id: conversationId, status: 'waiting_for_input' } };
  const outcome = awaited ?? (await findResponse(await gateway.find(conversationId)));
  if (!outcome) throw new UndecidedError();
  return { confirmed: true, ...outcome };
}

/** The outcome of the question if this request decided it; undefined while it is open. Throws if another request did. */
async function findOutcome(
  gateway: TemporalGateway,
  run: Execution,
  openQuestion: Question,
  idempotency: Idempotency,
): Promise<AnswerResponse | undefined> {
  // The key did something else meanwhile: then this was not heard, and never will be.
  const other = run.memo.messageResults.find(
    (candidate) => candidate.id === idempotency.id && candidate.questionId !== openQuestion.id,
  );
  if (other) assertSameBody(other, idempotency);
  if (!isExecutionClosed(run) && run.memo.question?.id === openQuestion.id) return undefined;
  const question = await readQuestion(gateway, run, openQuestion.id);
  const fromMemo = run.memo.messageResults.find((candidate) => candidate.questionId === openQuestion.id);
  const result = fromMemo ?? (await gateway.findMessageResult(run, idempotency.id));
  if (result?.id !== idempotency.id) throw alreadyResolvedError(question);
  assertSameBody(result, idempotency);
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
  return checked.ok ? [] : checked.issues;
}

function rejectInvalid(question: Question, content: AnswerSubmission): void {
  const errors = findAnswerIssues(question, content);
  if (errors.length === 0) return;
  const summary = errors.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
  throw new ApiError('invalid_answer', `The answer was not taken, and the question is still open. ${summary}`, {
    errors,
  });
}

const STATUS_TEXT = {
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
  return new ApiError(code, `The question ${STATUS_TEXT[status]}${who}; this changed nothing.`, { question });
}
