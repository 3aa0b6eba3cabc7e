import type { Request, RequestHandler } from 'express';
import { isLoopbackUrl } from '#infra/loopback';
import { ApiError } from './errors';

/**
 * Without keys, being on this machine is the only proof of being allowed. A web page in somebody's browser is on this
 * machine too: one whose name was made to point here shows in `Host`, one that calls across sites in `Origin` and
 * `Sec-Fetch-Site`.
 */
export const loopbackOnly: RequestHandler = (request, _response, next) => {
  const host = request.get('host') ?? '';
  if (!isLoopbackUrl(`http://${host}`)) {
    const shown = JSON.stringify(host.slice(0, 200));
    throw new ApiError('forbidden', `Parley answers without a key on this machine only, and not as ${shown}.`);
  }
  const origin = request.get('origin');
  const isCrossSite =
    request.get('sec-fetch-site') === 'cross-site' && !isPageNavigation(request) && !isFromTemporalUi(request);
  if ((origin !== undefined && !isLoopbackUrl(origin)) || isCrossSite) {
    throw new ApiError('forbidden', 'Parley answers without a key on this machine only, and not to other web sites.');
  }
  next();
};

/** A user follows a link from mail or chat to a page. The linking site cannot read the page. */
function isPageNavigation(request: Request): boolean {
  const isPage = request.get('sec-fetch-mode') === 'navigate' && request.get('sec-fetch-dest') === 'document';
  return isPage && request.method === 'GET' && !/^\/v1(\/|$)/i.test(request.path);
}

/** The Temporal UI of this machine, under another of its names; which pages may read what comes back, CORS says. */
function isFromTemporalUi(request: Request): boolean {
  return /^\/codec\//.test(request.path) && isLoopbackUrl(request.get('origin') ?? '');
}
