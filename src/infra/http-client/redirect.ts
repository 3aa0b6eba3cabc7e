import { type HttpHeaders, HttpRequestError, parseHttpUrl } from './validate-request';

/** One request in a chain of redirects. */
export interface RequestHop {
  url: URL;
  method: string;
  headers: HttpHeaders;
  body?: string;
}

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

export function isRedirect({ status, headers }: { status: number; headers: HttpHeaders }): boolean {
  return REDIRECT_STATUSES.includes(status) && headers.location !== undefined;
}

/** Returns the request that follows a redirect, by the rules of `fetch`. */
export function resolveRedirect(hop: RequestHop, status: number, location: string): RequestHop {
  const url = parseLocation(hop.url, location);
  if (hop.url.protocol === 'https:' && url.protocol !== 'https:')
    throw new HttpRequestError(`${hop.url.host} redirects from https to http, which is not followed.`);
  const headers = url.origin === hop.url.origin ? hop.headers : pickCrossOriginHeaders(hop.headers);
  if (!changesToGet(status, hop.method)) return { ...hop, url, headers };
  return { url, method: 'GET', headers: omitContentHeaders(headers) };
}

function parseLocation(from: URL, location: string): URL {
  try {
    return parseHttpUrl(location, from);
  } catch (error) {
    throw new HttpRequestError(`${from.host} redirects to a URL that is not followed. ${(error as Error).message}`);
  }
}

function changesToGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

const CROSS_ORIGIN_HEADERS = /^(accept(-.*)?|content-.*|range|user-agent)$/;

/** Keeps only headers that are safe for another origin: any other header could contain a key. */
function pickCrossOriginHeaders(headers: HttpHeaders): HttpHeaders {
  return filterHeaders(headers, (name) => CROSS_ORIGIN_HEADERS.test(name));
}

/** Drops the headers that describe the body, which is no longer sent. */
function omitContentHeaders(headers: HttpHeaders): HttpHeaders {
  return filterHeaders(headers, (name) => !name.startsWith('content-'));
}

function filterHeaders(headers: HttpHeaders, isAllowed: (name: string) => boolean): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isAllowed(name)));
}
