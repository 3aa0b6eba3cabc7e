import type { Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { isAdmin } from '#api/middleware/authentication';
import { canView, requireVisible } from '#api/middleware/authorization';
import { ApiError, refusalError } from '#api/middleware/errors';
import type { OperationHandlers, OperationInput } from '#api/router';
import { createAnswerLink, requireQuestion, revokeAnswerLinks } from '#api/services/answer-links';
import { listInbox } from '#api/services/list-inbox';
import { readMemoTime, readQuestions, setAsOfHeader, setListAsOfHeader } from '#api/services/read-conversation';
import { type AnswerSubmission, submitAnswer } from '#api/services/submit-answer';
import type { Execution } from '#api/temporal/execution';
import { jsonBytes } from '#core/json';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';

export function questionRoutes(deps: ApiDeps) {
  const { gateway, streamHub, withStreamLimit } = deps;
  return {
    async listInbox({ caller, query }, response) {
      const [page] = await Promise.all([listInbox(deps, caller, query), setListAsOfHeader(deps, response)]);
      response.json(page);
    },
    followInbox({ caller, query }, response, request) {
      const canSee = (run: Execution) => canView(caller, run.memo.start.access);
      const filter = { ...query, canSee, seesEverything: isAdmin(caller) };
      return withStreamLimit(caller, () => streamHub.followInbox(filter, request, response));
    },
    async listQuestions({ caller, params }, response) {
      const run = await requireVisible(gateway, caller, params.id);
      response.json(await readQuestions(gateway, run));
    },
    async getQuestion({ caller, params: { id, qid } }, response) {
      const run = await requireVisible(gateway, caller, id);
      const question = await requireQuestion(gateway, run, qid);
      setAsOfHeader(response, question.status === 'pending' ? readMemoTime(run, deps.now()) : deps.now());
      response.json(question);
    },
    answerQuestion: createSubmitHandler(deps, 'answer'),
    declineQuestion: createSubmitHandler(deps, 'decline'),
    createLink: (input, response) => createAnswerLink(deps, input, response),
    revokeLinks: (input, response) => revokeAnswerLinks(deps, input, response),
  } satisfies Partial<OperationHandlers>;
}

type SubmitInput = OperationInput<'answerQuestion'> | OperationInput<'declineQuestion'>;

function createSubmitHandler(deps: ApiDeps, kind: AnswerSubmission['kind']) {
  return async (
    { caller, params, body, idempotency, actor, receivedAt }: SubmitInput,
    response: Response,
  ): Promise<void> => {
    if (jsonBytes(body) > MAX_ANSWER_BYTES) throw new ApiError('too_large', 'The answer and comment exceed 32 KB.');
    const result = await submitAnswer(deps, caller, {
      kind,
      conversationId: params.id,
      questionId: params.qid,
      idempotency,
      content: { ...body, ...actor, receivedAt },
    });
    if ('code' in result) throw refusalError(result);
    const { status, question, conversation } = result;
    response.status(status === 'queued' ? 202 : 200).json({ question, conversation });
  };
}
