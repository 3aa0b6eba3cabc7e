import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import { canAct, findActionable } from '#api/middleware/authorization';
import { toApiError } from '#api/middleware/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { Question } from '#contract/question';
import type { AnswerResult } from '#contract/responses';
import type { MessageResult } from '#core/conversation/state';
import { isPastDeadline } from '#core/questions/resolve';
import { validateAnswer } from '#core/questions/validate-answer';
import { answerQuestionSignal, declineQuestionSignal } from '#workflows/messages';
import { findEarlierResult, type Idempotency } from './idempotency';
import { readQuestion } from './read-conversation';
import {
  alreadyResolved,
  conversationNotFound,
  IDEMPOTENCY_CONFLICT,
  invalidAnswer,
  questionNotFound,
  RESULT_UNKNOWN,
  toUnavailability,
  UNDECIDED,
} from './refusals';

const KINDS = {
  answer: { signal: answerQuestionSignal, validate: validateAnswer },
  decline: { signal: declineQuestionSignal, validate: () => ({ ok: true }) as const },
};

/** An answer or a decline, from any channel. */
export interface AnswerSubmission {
  kind: keyof typeof KINDS;
  conversationId: string;
  /** The id of the question, or `latest`. */
  questionId: string;
  content: AnswerContent;
  idempotency: Idempotency;
  /** Called once Temporal has accepted it: from then on it cannot be lost. */
  onDurable?(): void;
}

/** What a person answers or says when declining, with who, how and when. */
export interface AnswerContent {
  answers?: unknown;
  answer?: unknown;
  comment?: string;
  reason?: string;
  by?: string;
  via: string;
  receivedAt: number;
}

/** Answers or declines a question by a durable signal, returns what happened, and records it in the metrics. */
export async function submitAnswer(
  { gateway, metrics }: Pick<ApiDeps, 'gateway' | 'metrics'>,
  caller: Principal,
  submission: AnswerSubmission,
): Promise<AnswerResult> {
  const { kind, content } = submission;
  const { via, receivedAt } = content;
  const record = (reply: string, agent?: string) =>
    metrics.http.recordAnswer({ kind, via, reply, agent, seconds: (Date.now() - receivedAt) / 1_000 });
  try {
    const result = await sendIfOpen(gateway, caller, submission).catch(toUnavailability);
    if ('code' in result) record(result.code);
    else record(result.status === 'accepted' ? '200' : '202', result.question.agent);
    return result;
  } catch (error) {
    record(toApiError(error).code);
    throw error;
  }
}

/** Checks the submission against the question and sends it, or returns the outcome of an earlier request. */
async function sendIfOpen(
  gateway: TemporalGateway,
  caller: Principal,
  submission: AnswerSubmission,
): Promise<AnswerResult> {
  const { kind, content, conversationId, questionId, idempotency } = submission;
  const { validate } = KINDS[kind];
  // Saves a read: what a question asks never changes, and if it was resolved since, the message result shows it.
  const cached = gateway.findCachedOpenQuestion(conversationId, questionId);
  if (cached?.memo.question && canAct(caller, cached.memo.start.access)) {
    const isNew = !(await findEarlierResult(gateway, cached, idempotency));
    if (isNew && validate(cached.memo.question, content).ok)
      return sendAndAwaitOutcome(gateway, cached.memo.question, submission);
  }
  const found = await findActionable(gateway, caller, conversationId);
  if (found.status !== 'found') return found;
  const { run } = found;
  const earlier = await findEarlierResult(gateway, run, idempotency);
  if (earlier && earlier.digest !== idempotency.digest) return IDEMPOTENCY_CONFLICT;
  if (earlier) return readEarlierOutcome(gateway, run, earlier, idempotency);
  const question = await readQuestion(gateway, run, questionId);
  if (!question) return questionNotFound(questionId);
  if (question.status !== 'pending') {
    const isOwnResultUnknown = earlier === undefined && !hasResultOf(run, question);
    return isOwnResultUnknown ? RESULT_UNKNOWN : alreadyResolved(question);
  }
  const checked = validate(question, content);
  return checked.ok ? sendAndAwaitOutcome(gateway, question, submission) : invalidAnswer(checked.issues);
}

/** Whether the memo still tells whose message resolved the question. */
function hasResultOf({ memo }: Execution, { id }: Question): boolean {
  return memo.messageResults.some(({ questionId }) => questionId === id);
}

/** Returns the outcome of the earlier request. Its result may be newer than the run; then the run is read again. */
async function readEarlierOutcome(
  gateway: TemporalGateway,
  run: Execution,
  earlier: MessageResult,
  idempotency: Idempotency,
): Promise<AnswerResult> {
  const questionId = earlier.questionId ?? 'latest';
  const question = await readQuestion(gateway, run, questionId);
  if (!question) return questionNotFound(questionId);
  const conversation = { id: run.id, status: run.memo.conversation.status };
  if (question.status !== 'pending') return { status: 'accepted', question, conversation };
  const outcome = await gateway.workerPresence.poll(
    () => gateway.find(run.id),
    (current) => findOutcome(gateway, current, question, idempotency),
  );
  return outcome ?? { status: 'queued', question, conversation };
}

async function sendAndAwaitOutcome(
  gateway: TemporalGateway,
  question: Question,
  { kind, content, idempotency, onDurable }: AnswerSubmission,
): Promise<AnswerResult> {
  const { id: questionId, conversationId } = question;
  const message = { ...content, id: idempotency.id, digest: idempotency.digest, questionId };
  const isLate = isPastDeadline(question, content.receivedAt);
  const isSent = !isLate && (await gateway.signal(conversationId, KINDS[kind].signal, message));
  if (isSent) onDurable?.();
  const find = () => gateway.find(conversationId);
  const look = (run: Execution | undefined) => findOutcome(gateway, run, question, idempotency);
  // A conversation that has ended accepts no signal, and its outcome can be read without a worker.
  const awaited = isSent || isLate ? await gateway.workerPresence.poll(find, look) : undefined;
  if (awaited) return awaited;
  if (isSent) return { status: 'queued', question, conversation: { id: conversationId, status: 'waiting_for_input' } };
  return (await look(await find())) ?? UNDECIDED;
}

/** Returns what this request did to the question; undefined while the question is open. */
async function findOutcome(
  gateway: TemporalGateway,
  run: Execution | undefined,
  { id: questionId, conversationId }: Question,
  { id, digest, isKeyed }: Idempotency,
): Promise<AnswerResult | undefined> {
  if (!run) return conversationNotFound(conversationId);
  const { messageResults, question: openQuestion, conversation } = run.memo;
  // The key was used meanwhile for something else, so the workflow ignored this message.
  const other = messageResults.find((candidate) => candidate.id === id && candidate.questionId !== questionId);
  if (other && other.digest !== digest) return IDEMPOTENCY_CONFLICT;
  if (!isExecutionClosed(run) && openQuestion?.id === questionId) return undefined;
  const question = await readQuestion(gateway, run, questionId);
  if (!question) return questionNotFound(questionId);
  const fromMemo = messageResults.find((candidate) => candidate.questionId === questionId);
  const result = fromMemo ?? (await gateway.findMessageResult(run, id));
  if (result === undefined && isKeyed) return RESULT_UNKNOWN;
  if (result?.id !== id) return alreadyResolved(question);
  if (result.digest !== digest) return IDEMPOTENCY_CONFLICT;
  return { status: 'accepted', question, conversation: { id: run.id, status: conversation.status } };
}
