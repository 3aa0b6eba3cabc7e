import cors from 'cors';
import type { Express, RequestHandler } from 'express';
import express from 'express';
import helmet from 'helmet';
import { createEmailRouter } from '#channels/email/inbound/router';
import { createSlackRouter } from '#channels/slack/inbound/router';
import type { Config } from '#infra/config';
import type { Log } from '#infra/log';
import { agents } from './agents';
import { answerPages } from './answer-page/router';
import { identify } from './caller';
import { codec, codecCors } from './codec';
import type { Context } from './context';
import { conversations } from './conversations';
import { docs } from './docs/router';
import { errorHandler, notFound } from './errors';
import { health } from './health';
import { hooks } from './hooks';
import type { Limits } from './limits';
import { onlyFromHere } from './loopback';
import { questions } from './questions';
import { requestLog } from './request-log';
import { routes } from './routes';
import { countServed } from './served';
import { sessions } from './sessions';
import { status } from './status';
import { traceRequests } from './traced';
import { web } from './web';

/** Builds the app and never listens. */
export function createApp(context: Context, { keys, corsOrigins, proxies }: Config, limits: Limits, log: Log): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', proxies);
  app.set('etag', false);
  app.use(countServed(context.metrics));
  if (context.tracing) app.use(traceRequests(context.tracing));
  app.use(requestLog(log));
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: NOTHING } }));
  // From anywhere: a link, a signature or a secret of their own says who these are, also where there are no keys.
  app.use(answerPages(context, keys ? limits : undefined), createSlackRouter(context), createEmailRouter(context));
  if (!keys) app.use(onlyFromHere);
  app.use('/codec', codecCors([...context.uiOrigins, ...corsOrigins]));
  if (corsOrigins.length > 0) app.use(cors({ origin: corsOrigins, ...CORS }));
  // Before anybody is asked for a key: the app has nothing of anybody's in it, and its own page to sign in on.
  app.use(web(context.webFolder));
  app.use(identify(keys, context));
  app.use(['/v1', '/codec'], unstored);
  if (keys) app.use('/v1', limits.handler);
  app.use(
    routes({
      ...conversations(context),
      ...questions(context),
      ...agents(context),
      ...hooks(context),
      ...sessions(context),
      ...codec(context),
      ...health(context),
      ...status(context),
    }),
  );
  app.use(docs(context));
  app.use(notFound);
  app.use(errorHandler(log, context.sayMissing));
  return app;
}

/** Conversations are for the one who asked, and change from one moment to the next. */
const unstored: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** JSON needs nothing, and nobody may put it into a frame. */
const NOTHING = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };

const CORS = {
  methods: ['GET', 'POST', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'Last-Event-ID',
    'X-Parley-Channel',
    'X-Request-Id',
  ],
  exposedHeaders: ['X-Request-Id', 'X-Parley-As-Of', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
  maxAge: 600,
};
