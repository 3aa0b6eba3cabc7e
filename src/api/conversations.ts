import { Router } from 'express';
import { LastEventId, ListQuery, TimelineQuery } from '../contract/requests';
import { cancel } from './cancel';
import type { Context } from './context';
import { onlyMethods } from './errors';
import { listConversations } from './listing';
import { readConversation, readTimeline } from './reading';
import { parse } from './request';
import { say } from './say';
import { start } from './start';

export function conversations(context: Context): Router {
  const router = Router();
  router
    .route('/')
    .post((request, response) => start(context, request, response))
    .get(async (request, response) => {
      const query = parse(ListQuery, request.query);
      response.json(await listConversations(context.gateway, context.secret, query, context.linksOf));
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/:id')
    .get(async (request, response) => {
      const { gateway, linksOf } = context;
      response.json(await readConversation(gateway, await gateway.find(request.params.id), linksOf));
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id/timeline')
    .get(async (request, response) => {
      const { after } = parse(TimelineQuery, request.query);
      response.json(
        await readTimeline(context.gateway, await context.gateway.find(request.params.id), after),
      );
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id/events')
    .get(async (request, response) => {
      const after = parse(LastEventId.optional(), request.get('last-event-id'));
      const run = await context.gateway.find(request.params.id);
      await context.live.followConversation(run, after, request, response);
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id/messages')
    .post((request, response) => say(context, request, response))
    .all(onlyMethods('POST'));
  router
    .route('/:id/cancel')
    .post((request, response) => cancel(context, request, response))
    .all(onlyMethods('POST'));
  return router;
}
