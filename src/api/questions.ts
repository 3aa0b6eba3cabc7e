import { type Request, type Response, Router } from 'express';
import { AnswerBody, DeclineBody } from '../contract/question';
import { InboxEventsQuery, InboxQuery } from '../contract/requests';
import { ANSWER_BYTES } from '../core/settling';
import { answerQuestion, declineQuestion } from '../workflows/messages';
import type { Context } from './context';
import { onlyMethods, Refusal } from './errors';
import { onceOf } from './identity';
import { listInbox } from './listing';
import { readQuestion, readQuestions } from './reading';
import { parse, parseBody } from './request';
import { type Content, settle } from './settling';

export function inbox({ gateway, live, secret }: Context): Router {
  const router = Router();
  router
    .route('/')
    .get(async (request, response) => {
      response.json(await listInbox(gateway, secret, parse(InboxQuery, request.query)));
    })
    .all(onlyMethods('GET'));
  router
    .route('/events')
    .get((request, response) => live.followInbox(parse(InboxEventsQuery, request.query), request, response))
    .all(onlyMethods('GET'));
  return router;
}

type OfQuestion = Request<{ id: string; qid: string }>;

export function questions(context: Context): Router {
  const { gateway } = context;
  const router = Router({ mergeParams: true });
  router
    .route('/')
    .get(async (request: Request<{ id: string }>, response) => {
      response.json(await readQuestions(gateway, await gateway.find(request.params.id)));
    })
    .all(onlyMethods('GET'));
  router
    .route('/:qid')
    .get(async (request: OfQuestion, response) => {
      const { id, qid } = request.params;
      response.json(await readQuestion(gateway, await gateway.find(id), qid));
    })
    .all(onlyMethods('GET'));
  router
    .route('/:qid/answer')
    .post(async (request: OfQuestion, response) => {
      const receivedAt = context.now();
      const body = parseBody(AnswerBody, request);
      if (Buffer.byteLength(JSON.stringify(body)) > ANSWER_BYTES)
        throw new Refusal('too_large', 'An answer with its comment is at most 32 KB.');
      // Named even where nothing was sent: an answer with nothing in it is checked as one.
      await reply(context, request, response, answerQuestion, { answers: undefined, ...body, receivedAt });
    })
    .all(onlyMethods('POST'));
  router
    .route('/:qid/decline')
    .post(async (request: OfQuestion, response) => {
      const receivedAt = context.now();
      await reply(context, request, response, declineQuestion, {
        ...parseBody(DeclineBody, request),
        receivedAt,
      });
    })
    .all(onlyMethods('POST'));
  return router;
}

/** 200 if this is what counts, 202 if it is kept and no worker has acted on it yet; everything else is a refusal. */
async function reply(
  { gateway, secret }: Context,
  request: OfQuestion,
  response: Response,
  signal: typeof answerQuestion,
  content: Omit<Content, 'via'>,
): Promise<void> {
  const { id, qid } = request.params;
  const once = onceOf(request, secret, [signal.name, id], [qid, request.body ?? {}]);
  const { confirmed, ...standing } = await settle(
    gateway,
    id,
    qid,
    signal,
    { ...content, via: 'http' },
    once,
  );
  response.status(confirmed ? 200 : 202).json(standing);
}
