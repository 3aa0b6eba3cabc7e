import type { Request, Response } from 'express';
import { AnswerBody, DeclineBody, InboxEventsQuery, InboxQuery } from '#contract/requests';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { answerQuestionSignal, declineQuestionSignal } from '#workflows/messages';
import { findSeen, maySee } from './access';
import { callerOf, isAdmin, senderOf } from './caller';
import type { Context } from './context';
import { Refusal } from './errors';
import { memoAsOf, tellAsOf, tellListAsOf } from './freshness';
import { onceOf } from './identity';
import { createLink, takeBack } from './links';
import { listInbox } from './listing';
import type { Content } from './not-taken';
import { readQuestion, readQuestions } from './reading';
import { parse, parseBody } from './request';
import type { Handlers, Parameters } from './routes';
import type { Run } from './run';
import { settle } from './settling';

type Questions =
  | 'listInbox'
  | 'followInbox'
  | 'listQuestions'
  | 'getQuestion'
  | 'answerQuestion'
  | 'declineQuestion'
  | 'createLink'
  | 'revokeLinks';

export function questions(context: Context): Pick<Handlers, Questions> {
  const { gateway, live, stream } = context;
  return {
    async listInbox(request, response) {
      const query = parse(InboxQuery, request.query);
      const [page] = await Promise.all([
        listInbox(context, callerOf(response), query),
        tellListAsOf(context, response),
      ]);
      response.json(page);
    },
    followInbox(request, response) {
      const caller = callerOf(response);
      const isFor = (run: Run) => maySee(caller, run.memo.start.access);
      const filter = { ...parse(InboxEventsQuery, request.query), isFor, isWhole: isAdmin(caller) };
      return stream(caller, () => live.followInbox(filter, request, response));
    },
    async listQuestions(request, response) {
      const run = await findSeen(gateway, callerOf(response), request.params.id);
      response.json(await readQuestions(gateway, run));
    },
    async getQuestion(request, response) {
      const { id, qid } = request.params;
      const run = await findSeen(gateway, callerOf(response), id);
      const question = await readQuestion(gateway, run, qid);
      tellAsOf(response, question.status === 'pending' ? memoAsOf(run, context.now()) : context.now());
      response.json(question);
    },
    async answerQuestion(request, response) {
      const receivedAt = context.now();
      const body = parseBody(AnswerBody, request);
      if (Buffer.byteLength(JSON.stringify(body)) > MAX_ANSWER_BYTES)
        throw new Refusal('too_large', 'An answer with its comment is at most 32 KB.');
      // Named even where nothing was sent: an answer with nothing in it is checked as one.
      const content = { answers: undefined, ...body, receivedAt };
      await reply(context, request, response, answerQuestionSignal, content);
    },
    async declineQuestion(request, response) {
      const receivedAt = context.now();
      const content = { ...parseBody(DeclineBody, request), receivedAt };
      await reply(context, request, response, declineQuestionSignal, content);
    },
    createLink: (request, response) => createLink(context, request, response),
    revokeLinks: (request, response) => takeBack(context, request, response),
  };
}

/** 200 if this is what counts, 202 if it is kept and no worker has acted on it yet; everything else is a refusal. */
async function reply(
  { gateway, secret }: Context,
  request: Request<Parameters>,
  response: Response,
  signal: typeof answerQuestionSignal,
  content: Omit<Content, 'via' | 'by'>,
): Promise<void> {
  const caller = callerOf(response);
  const { id, qid } = request.params;
  const once = onceOf(request, { secret, caller }, [signal.name, id], [qid, request.body ?? {}]);
  const said = { ...content, ...senderOf(request, caller) };
  const { confirmed, ...standing } = await settle(gateway, caller, { id, qid }, signal, said, once);
  response.status(confirmed ? 200 : 202).json(standing);
}
