import type { Request, RequestHandler } from 'express';
import { isLoopbackUrl } from '#infra/loopback';
import { ApiError } from './errors';

/**
 * Without API keys, access is limited to this machine. Web pages in a browser run on this machine too, so they are
 * detected by headers: `Host` exposes DNS rebinding, `Origin` and `Sec-Fetch-Site` expose cross-site requests. A proxy
 * or tunnel may rewrite `Host`, but usually adds a header of its own.
 */
export const loopbackOnly: RequestHandler = (request, _response, next) => {
  const host = request.get('host') ?? '';
  if (!isLoopbackUrl(`http://${host}`)) {
    const shown = JSON.stringify(host.slice(0, 200));
    throw new ApiError('forbidden', `Without API keys, Parley only accepts requests to this machine, not to ${shown}.`);
  }
  const proxyHeader = Object.keys(request.headers).find((name) => PROXY_HEADERS.test(name));
  if (proxyHeader) {
    const detail = `Without API keys, Parley rejects requests through a proxy, which ${proxyHeader} reveals: set PARLEY_API_KEYS.`;
    throw new ApiError('forbidden', detail);
  }
  const origin = request.get('origin');
  const isCrossSite =
    request.get('sec-fetch-site') === 'cross-site' && !isPageNavigation(request) && !isFromTemporalUi(request);
  if ((origin !== undefined && !isLoopbackUrl(origin)) || isCrossSite) {
    throw new ApiError('forbidden', 'Without API keys, Parley rejects requests from other websites.');
  }
  next();
};

const PROXY_HEADERS = /^(forwarded|x-forwarded-.*|via)$/;

/** A user follows a link from an email or chat to a page. The linking site cannot read the page. */
function isPageNavigation(request: Request): boolean {
  const isPage = request.get('sec-fetch-mode') === 'navigate' && request.get('sec-fetch-dest') === 'document';
  return isPage && request.method === 'GET' && !/^\/v1(\/|$)/i.test(request.path);
}

/** The local Temporal UI may use another loopback name. CORS decides which pages may read the response. */
function isFromTemporalUi(request: Request): boolean {
  return /^\/codec\//.test(request.path) && isLoopbackUrl(request.get('origin') ?? '');
}
