import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { ApiError, allowOnlyMethods, RETRY_AFTER_SECONDS, toApiError } from '#api/middleware/errors';
import type { RateLimiters } from '#api/middleware/rate-limit';
import { isPastDeadline } from '#core/questions/resolve';
import { errorPage, unavailablePage } from './error-pages';
import { type LinkHolder, openLinkSession } from './link-session';
import { type AnswerPageContent, renderAnswerPage } from './page';
import { blankForm } from './parse-form';
import { questionPage } from './question-page';
import { acceptedPage, alreadyAnsweredPage, expiredPage, queuedPage, resolvedPage } from './result-pages';
import { ANSWER_PAGE_STYLESHEET } from './stylesheet';
import { type FormSubmissionResult, submitForm } from './submit-form';

/** Room for an answer of 32 KB in any script: a form writes three characters for each byte. */
const FORM_BYTES = 128 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** Pages on which a person answers one question, with nothing but a link. To open one changes nothing, ever. */
export function answerPageRouter(context: ApiDeps, limits: RateLimiters | undefined): Router {
  const base = new URL(context.url).pathname.replace(/\/$/, '');
  const show = (response: Response, shown: AnswerPageContent) => {
    response.status(shown.status).set(HEADERS).type('html').send(renderAnswerPage(base, shown));
  };
  const router = Router();
  // Not a link: what they end with is longer.
  router.get(
    '/a/style.css',
    (_request, response) => void response.set(BRIEFLY).type('css').send(ANSWER_PAGE_STYLESHEET),
  );
  if (limits) router.use('/a', limits.handler);
  router
    .route('/a/:token')
    .get(async (request, response) => show(response, await opened(context, request)))
    .post(express.text({ type: FORM, limit: FORM_BYTES }), async (request, response) =>
      show(response, await answered(context, request)),
    )
    .all(allowOnlyMethods('GET', 'POST'));
  router.use('/a', inWords(context, show));
  return router;
}

async function opened(context: ApiDeps, request: Request<{ token: string }>): Promise<AnswerPageContent> {
  const visit = await openLinkSession(context, request.params.token);
  if (!visit.may) return errorPage(visit);
  const { guest } = visit;
  if (guest.question.status !== 'pending') return resolvedPage(guest);
  if (isPastDeadline(guest.question, context.now())) return expiredPage(guest, false);
  const [, query = ''] = request.originalUrl.split(/\?(.*)/s);
  const form = blankForm(guest.question.fields, new URLSearchParams(query));
  return questionPage(guest, form, {}, context.now());
}

async function answered(context: ApiDeps, request: Request<{ token: string }>): Promise<AnswerPageContent> {
  const sent = formOf(request);
  if (!sent) throw new ApiError('unsupported_media_type', `Send ${FORM}.`);
  const visit = await openLinkSession(context, request.params.token);
  if (!visit.may) return errorPage(visit);
  return cameOf(context, visit.guest, await submitForm(context, visit.guest, sent));
}

function cameOf(context: ApiDeps, guest: LinkHolder, sent: FormSubmissionResult): AnswerPageContent {
  switch (sent.came) {
    case 'taken':
      return acceptedPage(guest, sent.question);
    case 'kept':
      return queuedPage(guest, sent.content);
    case 'late':
      return alreadyAnsweredPage(guest, sent.question);
    case 'over':
      return expiredPage(guest, true);
    case 'faulty':
      return questionPage(guest, sent.form, sent.faults, context.now());
  }
}

function formOf({ body }: { body?: unknown }): URLSearchParams | undefined {
  return typeof body === 'string' ? new URLSearchParams(body) : undefined;
}

/** Where errors become pages. */
function inWords(
  { log, sayMissing }: ApiDeps,
  show: (response: Response, shown: AnswerPageContent) => void,
): ErrorRequestHandler {
  return (error, request, response, _next) => {
    sayMissing(error);
    const refusal = toApiError(error);
    response.locals.problem = refusal.code;
    if (refusal.code === 'internal')
      log.error({ err: error, requestId: response.getHeader('x-request-id') }, 'request failed');
    if (response.headersSent) return void request.socket.destroy();
    const shown = unavailablePage(refusal, formOf(request));
    if (shown.status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    show(response, shown);
  };
}

const BRIEFLY = { 'Cache-Control': 'public, max-age=300' };

const HEADERS = {
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
