import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { actorOf, isAdmin, requirePrincipal } from '#api/middleware/authentication';
import { canView, findVisible } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFromHeader } from '#api/middleware/idempotency';
import { parseBody, parseInput } from '#api/middleware/validation';
import type { OperationHandlers, PathParameters } from '#api/router';
import { createAnswerLink, revokeAnswerLinks } from '#api/services/answer-links';
import { listInbox } from '#api/services/list-conversations';
import {
  readMemoTime,
  readQuestion,
  readQuestions,
  setAsOfHeader,
  setListAsOfHeader,
} from '#api/services/read-conversation';
import { type AnswerSubmission, submitAnswer } from '#api/services/submit-answer';
import type { Execution } from '#api/temporal/execution';
import { AnswerBody, DeclineBody, InboxEventsQuery, InboxQuery } from '#contract/requests';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { answerQuestionSignal, declineQuestionSignal } from '#workflows/messages';

type QuestionOperation =
  | 'listInbox'
  | 'followInbox'
  | 'listQuestions'
  | 'getQuestion'
  | 'answerQuestion'
  | 'declineQuestion'
  | 'createLink'
  | 'revokeLinks';

export function questionRoutes(deps: ApiDeps): Pick<OperationHandlers, QuestionOperation> {
  const { gateway, streamHub, withStreamLimit } = deps;
  return {
    async listInbox(request, response) {
      const query = parseInput(InboxQuery, request.query);
      const [page] = await Promise.all([
        listInbox(deps, requirePrincipal(response), query),
        setListAsOfHeader(deps, response),
      ]);
      response.json(page);
    },
    followInbox(request, response) {
      const caller = requirePrincipal(response);
      const canSee = (run: Execution) => canView(caller, run.memo.start.access);
      const filter = { ...parseInput(InboxEventsQuery, request.query), canSee, seesEverything: isAdmin(caller) };
      return withStreamLimit(caller, () => streamHub.followInbox(filter, request, response));
    },
    async listQuestions(request, response) {
      const run = await findVisible(gateway, requirePrincipal(response), request.params.id);
      response.json(await readQuestions(gateway, run));
    },
    async getQuestion(request, response) {
      const { id, qid } = request.params;
      const run = await findVisible(gateway, requirePrincipal(response), id);
      const question = await readQuestion(gateway, run, qid);
      setAsOfHeader(response, question.status === 'pending' ? readMemoTime(run, deps.now()) : deps.now());
      response.json(question);
    },
    async answerQuestion(request, response) {
      const receivedAt = deps.now();
      const body = parseBody(AnswerBody, request);
      if (Buffer.byteLength(JSON.stringify(body)) > MAX_ANSWER_BYTES)
        throw new ApiError('too_large', 'An answer with its comment is at most 32 KB.');
      // Always has `answers`, so that an empty body is validated as an answer.
      const content = { answers: undefined, ...body, receivedAt };
      await resolveQuestion(deps, request, response, answerQuestionSignal, content);
    },
    async declineQuestion(request, response) {
      const receivedAt = deps.now();
      const content = { ...parseBody(DeclineBody, request), receivedAt };
      await resolveQuestion(deps, request, response, declineQuestionSignal, content);
    },
    createLink: (request, response) => createAnswerLink(deps, request, response),
    revokeLinks: (request, response) => revokeAnswerLinks(deps, request, response),
  };
}

/**
 * Replies 200 if the answer is confirmed, 202 if it is stored but no worker has processed it yet. All other outcomes
 * are errors.
 */
async function resolveQuestion(
  { gateway, secret }: ApiDeps,
  request: Request<PathParameters>,
  response: Response,
  signal: typeof answerQuestionSignal,
  content: Omit<AnswerSubmission, 'via' | 'by'>,
): Promise<void> {
  const caller = requirePrincipal(response);
  const { id, qid } = request.params;
  const idempotency = idempotencyFromHeader(request, { secret, caller }, [signal.name, id], [qid, request.body ?? {}]);
  const submission = { ...content, ...actorOf(request, caller) };
  const { confirmed, ...result } = await submitAnswer(gateway, caller, { id, qid }, signal, submission, idempotency);
  response.status(confirmed ? 200 : 202).json(result);
}
