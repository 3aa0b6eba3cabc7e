import type { Request, RequestHandler } from 'express';
import { ApiError } from './errors';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Without keys, being on this machine is the only proof of being allowed. A web page in somebody's browser is on this
 * machine too: one whose name was made to point here shows in `Host`, one that calls across sites in `Origin` and
 * `Sec-Fetch-Site`.
 */
export const loopbackOnly: RequestHandler = (request, _response, next) => {
  const host = request.get('host') ?? '';
  if (!isHere(`http://${host}`)) {
    const shown = JSON.stringify(host.slice(0, 200));
    throw new ApiError('forbidden', `Parley answers without a key on this machine only, and not as ${shown}.`);
  }
  const origin = request.get('origin');
  const isAcross = request.get('sec-fetch-site') === 'cross-site' && !isVisit(request) && !isUi(request);
  if ((origin !== undefined && !isHere(origin)) || isAcross) {
    throw new ApiError('forbidden', 'Parley answers without a key on this machine only, and not to other web sites.');
  }
  next();
};

/** Somebody follows a link in their mail or chat to a page of ours. It shows nothing to where they came from. */
function isVisit(request: Request): boolean {
  const isPage = request.get('sec-fetch-mode') === 'navigate' && request.get('sec-fetch-dest') === 'document';
  return isPage && request.method === 'GET' && !/^\/v1(\/|$)/i.test(request.path);
}

/** The Temporal UI of this machine, under another of its names; which pages may read what comes back, CORS says. */
function isUi(request: Request): boolean {
  return /^\/codec\//.test(request.path) && isHere(request.get('origin') ?? '');
}

function isHere(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);
}
