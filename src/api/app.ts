import cors from 'cors';
import type { Express, RequestHandler } from 'express';
import express from 'express';
import helmet from 'helmet';
import { findPolicyDestinationIssues } from '#channels/destinations';
import { createInboundRoutes } from '#channels/registry';
import type { Config } from '#infra/config';
import type { Log } from '#infra/log';
import type { ApiDeps } from './dependencies';
import { authenticate } from './middleware/authentication';
import { allowOnlyMethods, errorHandler, handleNotFound } from './middleware/errors';
import { loopbackOnly } from './middleware/loopback-only';
import { httpMetrics, traceRequests } from './middleware/observability';
import type { RateLimiters } from './middleware/rate-limit';
import { requestLogging } from './middleware/request-logging';
import { answerPageRouter } from './pages/answer/router';
import { docsRouter } from './pages/docs';
import { serveWebApp } from './pages/web-app';
import { createRouter } from './router';
import { agentRoutes } from './routes/agents';
import { codecCors, codecRoutes } from './routes/codec';
import { conversationRoutes } from './routes/conversations';
import { healthRoutes, statusRoutes } from './routes/health';
import { questionRoutes } from './routes/questions';
import { sessionRoutes } from './routes/sessions';
import { webhookTriggerRoutes } from './routes/webhook-triggers';
import { createInboundDeps } from './services/inbound-answers';

/** Builds the app, which listens nowhere by itself. */
export function createApp(
  deps: ApiDeps,
  { apiKeys, corsOrigins, trustedProxies }: Config,
  rateLimiters: RateLimiters,
  log: Log,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustedProxies);
  app.set('etag', false);
  app.use(httpMetrics(deps.metrics));
  if (deps.tracing) app.use(traceRequests(deps.tracing));
  app.use(requestLogging(log));
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: API_CSP_DIRECTIVES } }));
  // Reachable from anywhere, even without API keys: a link, signature or secret authenticates these requests.
  app.use(answerPageRouter(deps, apiKeys ? rateLimiters : undefined));
  for (const { path, handlers } of createInboundRoutes(deps.channels, deps.channelSettings, createInboundDeps(deps)))
    app.route(path).post(handlers).all(allowOnlyMethods('POST'));
  if (!apiKeys) app.use(loopbackOnly);
  app.use('/codec', codecCors([...deps.uiOrigins, ...corsOrigins]));
  if (corsOrigins.length > 0) app.use(cors({ origin: corsOrigins, ...CORS_OPTIONS }));
  // Before authentication: the web app contains no private data, and has its own sign-in page.
  app.use(serveWebApp(deps.webFolder, deps.channels));
  app.use(authenticate(apiKeys, deps));
  app.use(['/v1', '/codec'], noStore);
  if (apiKeys) app.use(['/v1', '/readyz'], rateLimiters.handler);
  app.use(
    createRouter(
      deps,
      {
        ...conversationRoutes(deps),
        ...questionRoutes(deps),
        ...agentRoutes(deps),
        ...webhookTriggerRoutes(deps),
        ...sessionRoutes(deps),
        ...codecRoutes(deps),
        ...healthRoutes(deps),
        ...statusRoutes(deps),
      },
      { startConversation: ({ question }) => findPolicyDestinationIssues(deps.channels, question, ['question']) },
    ),
  );
  app.use(docsRouter(deps));
  app.use(handleNotFound);
  app.use(errorHandler(deps));
  return app;
}

/** Forbids caching: conversations are private and change at any time. */
const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** JSON loads no resources, and no site may frame it. */
const API_CSP_DIRECTIVES = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };

const CORS_OPTIONS = {
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
