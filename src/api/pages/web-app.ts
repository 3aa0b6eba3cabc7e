import { readFile } from 'node:fs/promises';
import path from 'node:path';
import compression from 'compression';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { ApiError, allowOnlyMethods, handleNotFound } from '#api/middleware/errors';
import type { Channel } from '#channels/channel';

/** Routes of the web app. It routes by the URL itself, so each of them is served the same file. */
export const WEB_PAGES = [
  '/',
  '/new',
  '/conversations',
  '/conversations/:id',
  '/questions/:conversationId/:questionId',
];

type Handler = (request: Request, response: Response) => Promise<void>;

const RESERVED_PATHS = ['v1', 'a', 'docs', 'openapi\\.json', 'codec', 'metrics', 'healthz', 'readyz'];

/** Serves the web app. Files are read from disk for each request, so a new build needs no restart. */
export function serveWebApp(folder: string, channels: readonly Channel[]): Router {
  const inbound = channels.flatMap(({ name, createInboundRoutes }) => (createInboundRoutes ? [name] : []));
  const reserved = new RegExp(`^/(${[...RESERVED_PATHS, ...inbound].join('|')})(/|$)`, 'i');
  const page = servePage(path.join(folder, 'index.html'));
  const router = Router();
  router.use((request, _response, next) => next(reserved.test(request.path) ? 'router' : undefined));
  // Only the web app is compressed. In API replies, which may hold secrets beside a caller's input, the compressed
  // length would reveal a right guess; and streams would be delayed until the compressor's buffer is full.
  router.use(compression());
  router.route(WEB_PAGES).get(page).all(allowOnlyMethods('GET'));
  router.use('/assets', express.static(path.join(folder, 'assets'), staticOptions(IMMUTABLE)), missingAsset);
  router.use(express.static(folder, staticOptions(REVALIDATE)));
  router.get('/*path', (request, response, next) => {
    response.vary('Accept');
    // A browser that opens a page asks for HTML.
    if (!request.accepts().includes('text/html')) return next();
    response.status(404);
    return page(request, response);
  });
  return router;
}

function staticOptions(headers: Record<string, string>): Parameters<typeof express.static>[1] {
  const setHeaders = (response: Response) => void response.set(headers);
  return { index: false, redirect: false, acceptRanges: false, setHeaders };
}

/** Always sent in full: in an image files may share one time, and a stale page would ask for lost scripts. */
export function servePage(file: string, contentSecurityPolicy = APP_POLICY): Handler {
  return async (_request, response) => {
    const html = await readFile(file).catch(throwNotBuilt);
    response
      .set({ ...REVALIDATE, 'Content-Security-Policy': contentSecurityPolicy })
      .type('html')
      .send(html);
  };
}

function throwNotBuilt(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new ApiError('not_found', 'The web app is not built. Run `npm run build`, or use the API: see /openapi.json.');
}

/** Replies 404, uncached, for a missing asset: the file may belong to a build that is being deployed. */
const missingAsset: RequestHandler = (request, response) => {
  response.setHeader('Cache-Control', 'no-store');
  handleNotFound(request);
};

/** Allows only its own files: no inline scripts or styles, nothing from elsewhere, and no text that becomes markup. */
const APP_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'",
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

const PERMISSIONS_POLICY = [
  'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=()',
  'microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), usb=()',
].join(', ');

/** Headers besides those of the whole API (no sniffing, no referrer, a separate window). */
const HEADERS = { 'Content-Security-Policy': APP_POLICY, 'Permissions-Policy': PERMISSIONS_POLICY };

/** For files whose name stays the same when their content changes. */
const REVALIDATE = { ...HEADERS, 'Cache-Control': 'no-cache' };

/** For files with a content hash in their name. */
const IMMUTABLE = { ...HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };
