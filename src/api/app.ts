import { randomUUID } from 'node:crypto';
import express, { type Express } from 'express';
import type { Log } from '../log';
import type { Context } from './context';
import { conversations } from './conversations';
import { errorHandler, notFound, onlyMethods } from './errors';
import { onlyFromHere } from './loopback';
import { inbox, questions } from './questions';

/** Builds the app and never listens. */
export function createApp(context: Context, log: Log): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use((request, response, next) => {
    const given = request.get('x-request-id');
    response.setHeader('X-Request-Id', given && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID());
    next();
  });
  app.use(onlyFromHere);
  app
    .route('/healthz')
    .get((_request, response) => void response.json({ status: 'ok' }))
    .all(onlyMethods('GET'));
  app
    .route('/readyz')
    .get(async (_request, response) => {
      await context.gateway.ready();
      response.json({ status: 'ready' });
    })
    .all(onlyMethods('GET'));
  app.use(express.json({ limit: '1mb', type: ['application/json', 'application/*+json'] }));
  app.use('/v1/conversations', conversations(context));
  app.use('/v1/conversations/:id/questions', questions(context));
  app.use('/v1/questions', inbox(context));
  app.use(notFound);
  app.use(errorHandler(log));
  return app;
}
