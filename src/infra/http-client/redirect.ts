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
  const isSameOrigin = url.origin === hop.url.origin;
  const headers = filterHeaders(hop.headers, (name) => isSameOrigin || CROSS_ORIGIN_HEADERS.test(name));
  if (!changesToGet(status, hop.method)) return { ...hop, url, headers };
  // Without the headers that describe the body, which is no longer sent.
  return { url, method: 'GET', headers: filterHeaders(headers, (name) => !name.startsWith('content-')) };
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

/** Headers that are safe for another origin: any other could contain a key. */
const CROSS_ORIGIN_HEADERS = /^(accept(-.*)?|content-.*|range|user-agent)$/;

function filterHeaders(headers: HttpHeaders, isAllowed: (name: string) => boolean): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isAllowed(name)));
}
