import express, { type Request, type Response, Router } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { ApiError, allowOnlyMethods, errorHandler } from '#api/middleware/errors';
import type { RateLimiters } from '#api/middleware/rate-limit';
import { isPastDeadline } from '#core/questions/resolve';
import { errorPage, unavailablePage } from './error-pages';
import { openLinkSession } from './link-session';
import { type AnswerPageContent, renderAnswerPage } from './page';
import { blankForm } from './parse-form';
import { questionPage } from './question-page';
import { expiredPage, resolvedPage } from './result-pages';
import { ANSWER_PAGE_STYLESHEET } from './stylesheet';
import { submitForm } from './submit-form';

/** Room for an answer of 32 KB in any script: a form may encode each byte as three characters. */
const MAX_FORM_BYTES = 128 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Serves the pages on which a person answers one question with only a link. Opening a page changes nothing. */
export function answerPageRouter(deps: ApiDeps, limits: RateLimiters | undefined): Router {
  const basePath = new URL(deps.url).pathname.replace(/\/$/, '');
  const sendPage = (response: Response, content: AnswerPageContent) => {
    response.status(content.status).set(PAGE_HEADERS).type('html').send(renderAnswerPage(basePath, content));
  };
  const router = Router();
  // Cannot clash with a link, since tokens are longer.
  router.get(
    '/a/style.css',
    (_request, response) => void response.set(SHORT_CACHE_HEADERS).type('css').send(ANSWER_PAGE_STYLESHEET),
  );
  if (limits) router.use('/a', limits.handler);
  router
    .route('/a/:token')
    .get(async (request, response) => sendPage(response, await viewQuestion(deps, request)))
    .post(express.text({ type: FORM_TYPE, limit: MAX_FORM_BYTES }), async (request, response) =>
      sendPage(response, await submitAnswerForm(deps, request)),
    )
    .all(allowOnlyMethods('GET', 'POST'));
  const sendErrorPage = (response: Response, error: ApiError, request: Request) =>
    sendPage(response, unavailablePage(error, readFormBody(request)));
  router.use('/a', errorHandler(deps, sendErrorPage));
  return router;
}

async function viewQuestion(deps: ApiDeps, request: Request<{ token: string }>): Promise<AnswerPageContent> {
  const session = await openLinkSession(deps, request.params.token);
  if (!session.isAllowed) return errorPage(session);
  const { holder } = session;
  if (holder.question.status !== 'pending') return resolvedPage(holder);
  if (isPastDeadline(holder.question, deps.now())) return expiredPage(holder, false);
  const [, query = ''] = request.originalUrl.split(/\?(.*)/s);
  const form = blankForm(holder.question.fields, new URLSearchParams(query));
  return questionPage(holder, form, {}, deps.now());
}

async function submitAnswerForm(deps: ApiDeps, request: Request<{ token: string }>): Promise<AnswerPageContent> {
  const submitted = readFormBody(request);
  if (!submitted) throw new ApiError('unsupported_media_type', `Send ${FORM_TYPE}.`);
  const session = await openLinkSession(deps, request.params.token);
  if (!session.isAllowed) return errorPage(session);
  return submitForm(deps, session.holder, submitted);
}

function readFormBody({ body }: { body?: unknown }): URLSearchParams | undefined {
  return typeof body === 'string' ? new URLSearchParams(body) : undefined;
}

const SHORT_CACHE_HEADERS = { 'Cache-Control': 'public, max-age=300' };

const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
};
