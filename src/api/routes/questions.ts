import type { z } from 'zod';
import type { ApiDeps } from '#api/dependencies';
import { actorOf, isAdmin, requirePrincipal } from '#api/middleware/authentication';
import { canView, requireVisible } from '#api/middleware/authorization';
import { ApiError, refusalError } from '#api/middleware/errors';
import { parseBody, parseInput } from '#api/middleware/validation';
import type { OperationHandler, OperationHandlers } from '#api/router';
import { createAnswerLink, requireQuestion, revokeAnswerLinks } from '#api/services/answer-links';
import { idempotencyFromHeader } from '#api/services/idempotency';
import { listInbox } from '#api/services/list-inbox';
import { readMemoTime, readQuestions, setAsOfHeader, setListAsOfHeader } from '#api/services/read-conversation';
import { type AnswerSubmission, submitAnswer } from '#api/services/submit-answer';
import type { Execution } from '#api/temporal/execution';
import { AnswerBody, DeclineBody, InboxEventsQuery, InboxQuery } from '#contract/requests';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';

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
      const run = await requireVisible(gateway, requirePrincipal(response), request.params.id);
      response.json(await readQuestions(gateway, run));
    },
    async getQuestion(request, response) {
      const { id, qid } = request.params;
      const run = await requireVisible(gateway, requirePrincipal(response), id);
      const question = await requireQuestion(gateway, run, qid);
      setAsOfHeader(response, question.status === 'pending' ? readMemoTime(run, deps.now()) : deps.now());
      response.json(question);
    },
    answerQuestion: createSubmitHandler(deps, 'answer', AnswerBody),
    declineQuestion: createSubmitHandler(deps, 'decline', DeclineBody),
    createLink: (request, response) => createAnswerLink(deps, request, response),
    revokeLinks: (request, response) => revokeAnswerLinks(deps, request, response),
  };
}

function createSubmitHandler(
  deps: ApiDeps,
  kind: AnswerSubmission['kind'],
  bodySchema: z.ZodType<AnswerBody | DeclineBody>,
): OperationHandler {
  return async (request, response) => {
    const receivedAt = deps.now();
    const body = parseBody(bodySchema, request);
    if (Buffer.byteLength(JSON.stringify(body)) > MAX_ANSWER_BYTES)
      throw new ApiError('too_large', 'The answer and comment exceed 32 KB.');
    const caller = requirePrincipal(response);
    const { id, qid } = request.params;
    const identity = { secret: deps.secret, caller };
    const result = await submitAnswer(deps, caller, {
      kind,
      conversationId: id,
      questionId: qid,
      idempotency: idempotencyFromHeader(request, identity, [`${kind}Question`, id], [qid, request.body ?? {}]),
      content: { ...body, ...actorOf(request, caller), receivedAt },
    });
    if ('code' in result) throw refusalError(result);
    const { status, question, conversation } = result;
    response.status(status === 'queued' ? 202 : 200).json({ question, conversation });
  };
}
