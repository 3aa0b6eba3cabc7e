import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Context } from '#api/context';
import { onlyMethods, RETRY_AFTER_SECONDS, Refusal, refusalOf } from '#api/errors';
import type { Limits } from '#api/limits';
import { isPastDeadline } from '#core/questions/resolve';
import { blankForm } from './filling';
import { keptPage, latePage, overPage, settledPage, takenPage } from './outcome-page';
import { renderPage, type Shown } from './page';
import { questionPage } from './question-page';
import { refusedPage, troublePage } from './refusal-pages';
import { type Sent, send } from './sending';
import { STYLE } from './style/style';
import { type Guest, receive } from './visit';

/** Room for an answer of 32 KB in any script: a form writes three characters for each byte. */
const FORM_BYTES = 128 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** Pages on which a person answers one question, with nothing but a link. To open one changes nothing, ever. */
export function answerPages(context: Context, limits: Limits | undefined): Router {
  const base = new URL(context.url).pathname.replace(/\/$/, '');
  const show = (response: Response, shown: Shown) => {
    response.status(shown.status).set(HEADERS).type('html').send(renderPage(base, shown));
  };
  const router = Router();
  // Not a link: what they end with is longer.
  router.get('/a/style.css', (_request, response) => void response.set(BRIEFLY).type('css').send(STYLE));
  if (limits) router.use('/a', limits.handler);
  router
    .route('/a/:token')
    .get(async (request, response) => show(response, await opened(context, request)))
    .post(express.text({ type: FORM, limit: FORM_BYTES }), async (request, response) =>
      show(response, await answered(context, request)),
    )
    .all(onlyMethods('GET', 'POST'));
  router.use('/a', inWords(context, show));
  return router;
}

async function opened(context: Context, request: Request<{ token: string }>): Promise<Shown> {
  const visit = await receive(context, request.params.token);
  if (!visit.may) return refusedPage(visit);
  const { guest } = visit;
  if (guest.question.status !== 'pending') return settledPage(guest);
  if (isPastDeadline(guest.question, context.now())) return overPage(guest, false);
  const [, query = ''] = request.originalUrl.split(/\?(.*)/s);
  const form = blankForm(guest.question.fields, new URLSearchParams(query));
  return questionPage(guest, form, {}, context.now());
}

async function answered(context: Context, request: Request<{ token: string }>): Promise<Shown> {
  const sent = formOf(request);
  if (!sent) throw new Refusal('unsupported_media_type', `Send ${FORM}.`);
  const visit = await receive(context, request.params.token);
  if (!visit.may) return refusedPage(visit);
  return cameOf(context, visit.guest, await send(context, visit.guest, sent));
}

function cameOf(context: Context, guest: Guest, sent: Sent): Shown {
  switch (sent.came) {
    case 'taken':
      return takenPage(guest, sent.question);
    case 'kept':
      return keptPage(guest, sent.content);
    case 'late':
      return latePage(guest, sent.question);
    case 'over':
      return overPage(guest, true);
    case 'faulty':
      return questionPage(guest, sent.form, sent.faults, context.now());
  }
}

function formOf({ body }: { body?: unknown }): URLSearchParams | undefined {
  return typeof body === 'string' ? new URLSearchParams(body) : undefined;
}

/** Where errors become pages. */
function inWords({ log, sayMissing }: Context, show: (response: Response, shown: Shown) => void): ErrorRequestHandler {
  return (error, request, response, _next) => {
    sayMissing(error);
    const refusal = refusalOf(error);
    response.locals.problem = refusal.code;
    if (refusal.code === 'internal')
      log.error({ err: error, requestId: response.getHeader('x-request-id') }, 'request failed');
    if (response.headersSent) return void request.socket.destroy();
    const shown = troublePage(refusal, formOf(request));
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
