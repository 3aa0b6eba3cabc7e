import { readFile } from 'node:fs/promises';
import path from 'node:path';
import compression from 'compression';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { ApiError, allowOnlyMethods, handleNotFound } from '#api/middleware/errors';
import type { Channel } from '#channels/channel';

/** It finds its own way by the address, so each of its pages is the same file. */
const PAGES = ['/', '/new', '/conversations', '/conversations/:id', '/questions/:conversationId/:questionId'];

type Handler = (request: Request, response: Response) => Promise<void>;

const RESERVED_PATHS = ['v1', 'a', 'docs', 'openapi\\.json', 'codec', 'metrics', 'healthz', 'readyz'];

/** The web app, from the folder it was built into. It is read from disk each time: a new build needs no new start. */
export function serveWebApp(folder: string, channels: readonly Channel[]): Router {
  const inbound = channels.flatMap(({ name, createInboundRoutes }) => (createInboundRoutes ? [name] : []));
  const reserved = new RegExp(`^/(${[...RESERVED_PATHS, ...inbound].join('|')})(/|$)`, 'i');
  const page = servePage(path.join(folder, 'index.html'));
  const router = Router();
  router.use((request, _response, next) => next(reserved.test(request.path) ? 'router' : undefined));
  // Here and nowhere else. The length of a compressed reply tells what is in it to whoever can put a guess beside it,
  // and the API's replies hold both; and a stream would lie in the compressor until there is enough of it.
  router.use(compression());
  router.route(PAGES).get(page).all(allowOnlyMethods('GET', 'HEAD'));
  router.use('/assets', express.static(path.join(folder, 'assets'), staticOptions(IMMUTABLE)), missingAsset);
  router.use(express.static(folder, staticOptions(REVALIDATE)));
  router.get('/*path', (request, response, next) => {
    response.vary('Accept');
    if (!isBrowser(request)) return next();
    response.status(404);
    return page(request, response);
  });
  return router;
}

function staticOptions(headers: Record<string, string>): Parameters<typeof express.static>[1] {
  const setHeaders = (response: Response) => void response.set(headers);
  return { index: false, redirect: false, acceptRanges: false, setHeaders };
}

/** Always sent in full, without an ETag: in an image all files may have the same time, and a stale page would ask for scripts that are gone. */
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
  throw new ApiError(
    'not_found',
    'The web app has not been built here. Build it with `npm run build`, or use the API: see /openapi.json.',
  );
}

/** Never the page in its place, and not for long: it may be of a build that is being put here. */
const missingAsset: RequestHandler = (request, response) => {
  response.setHeader('Cache-Control', 'no-store');
  handleNotFound(request);
};

/** Programs take anything; a browser that opens a page says that it wants one. */
function isBrowser(request: Request): boolean {
  return request.accepts().includes('text/html');
}

/** Nothing but its own files: no inline script or style, nothing from elsewhere, and no text that becomes markup. */
const APP_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const DISABLED_FEATURES = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
];

/** Those that the whole API has do the rest: no sniffing, no referrer, a window of its own. */
const HEADERS = {
  'Content-Security-Policy': APP_POLICY,
  'Permissions-Policy': DISABLED_FEATURES.map((feature) => `${feature}=()`).join(', '),
};

/** For files whose name does not change with what is in them. */
const REVALIDATE = { ...HEADERS, 'Cache-Control': 'no-cache' };

/** For files with a hash of what is in them in their name. */
const IMMUTABLE = { ...HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };
