import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import { createInternalHosts } from './internal-hosts';
import { isRedirect, type RequestHop, resolveRedirect } from './redirect';
import { type HopResponse, sendSingleRequest } from './send-request';
import { checkAddresses, type DnsLookup, type SsrfGuard } from './ssrf-guard';
import { HttpRequestError, parseHttpUrl, toHostAndPort, validateHeaders } from './validate-request';

/** A request to the outside, made by an agent: nobody has looked at it. */
export interface OutboundRequest {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  /** Asked before each hop, redirects too: null, or why that address may not be called. */
  mayCall(url: URL): string | null;
  /** False: an answer that sends elsewhere is handed back as it is. */
  followsRedirects?: boolean;
  /** Headers for that hop alone, such as a key, never passed on to the next. Is it a host the operator calls internal? */
  headersFor?(url: URL, isInternal: boolean): Record<string, string>;
  maxBytes: number;
  /** False: an answer counts once its status is there, however its body ends. */
  needsBody?: boolean;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Where it came from, after redirects. */
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Longer than `maxBytes`, counted as it is unpacked: cut there. */
  truncated: boolean;
}

/** The way to the outside. What is refused or fails is an `Error` with a sentence to read. */
export interface HttpClient {
  request(request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** One that can also tell beforehand. */
export interface SafeHttpClient extends HttpClient {
  /** Why that address may not be called as things are now, or null; a name that leads nowhere yet is let pass. */
  refusalOf(url: URL): Promise<string | null>;
  /** Does the operator name this host as one on the inside that may be called? */
  isInternal(url: URL): boolean;
}

export interface HttpClientOptions {
  /** What may be called although it is not public: names, `host:port`, addresses and networks. */
  internal: string[];
  lookup?: DnsLookup;
}

const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const MAX_REDIRECTS = 5;

/** The way out for requests nobody looked at: it leads to public hosts, and to those inside that the operator names. */
export function createHttpClient(settings: HttpClientOptions): SafeHttpClient {
  const { internal, lookup = (hostname) => resolve(hostname, { all: true }) } = settings;
  const guard = { internal: createInternalHosts(internal), lookup };
  const closing = new AbortController();
  return {
    async request(request) {
      const deadline = startRequestDeadline(request.timeoutMs, [request.signal, closing.signal]);
      try {
        return await sendFollowingRedirects(request, guard, deadline.signal);
      } finally {
        deadline.clear();
      }
    },
    async refusalOf(url) {
      const place = toHostAndPort(url);
      const addresses = isIP(place.hostname) ? [place.hostname] : await resolveAddresses(place.hostname, guard);
      return addresses.length === 0 ? null : (checkAddresses(guard, place, addresses)?.message ?? null);
    },
    isInternal: (url) => guard.internal.names(toHostAndPort(url)),
    close: async () => closing.abort(),
  };
}

const LOOKUP_TIMEOUT_MS = 3_000;

/** None where it cannot be told in time: it is asked again when it is called. */
async function resolveAddresses(hostname: string, { lookup }: SsrfGuard): Promise<string[]> {
  const late = new Promise<LookupAddress[]>((resolve) => setTimeout(resolve, LOOKUP_TIMEOUT_MS, []).unref());
  const found = await Promise.race([lookup(hostname).catch(() => []), late]);
  return found.map(({ address }) => address);
}

async function sendFollowingRedirects(
  request: OutboundRequest,
  guard: SsrfGuard,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  let hop = createFirstHop(request);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    signal.throwIfAborted();
    const answer = await sendSingleRequest(withHostHeaders(hop, request, guard), guard, request, signal);
    if (!isRedirect(answer) || request.followsRedirects === false) return { ...answer, url: hop.url.href };
    hop = createNextHop(hop, answer, request);
  }
  throw new HttpRequestError(`The request was redirected more than ${MAX_REDIRECTS} times: ${hop.url.host} was next.`);
}

function createFirstHop(request: OutboundRequest): RequestHop {
  const { method, headers = {}, body } = request;
  if (!HTTP_METHODS.includes(method))
    throw new HttpRequestError(`There is no method ${method}: use ${HTTP_METHODS.join(', ')}.`);
  const url = parseHttpUrl(request.url);
  const why = request.mayCall(url);
  if (why !== null) throw new HttpRequestError(why);
  return { url, method, headers: validateHeaders(headers), body };
}

function createNextHop(hop: RequestHop, { status, headers }: HopResponse, { mayCall }: OutboundRequest): RequestHop {
  const next = resolveRedirect(hop, status, headers.location ?? '');
  const why = mayCall(next.url);
  if (why !== null) throw new HttpRequestError(`${hop.url.host} redirects to ${next.url.origin}. ${why}`);
  return next;
}

/** With the headers that are for this host alone; the next hop does not inherit them. */
function withHostHeaders(hop: RequestHop, { headersFor }: OutboundRequest, { internal }: SsrfGuard): RequestHop {
  const own = headersFor?.(hop.url, internal.names(toHostAndPort(hop.url))) ?? {};
  return { ...hop, headers: { ...hop.headers, ...validateHeaders(own) } };
}

/** Ends a request when the caller gives it up, when Parley stops, or when its time is up. */
export interface RequestDeadline {
  signal: AbortSignal;
  clear(): void;
}

function startRequestDeadline(ms: number, givenUp: AbortSignal[]): RequestDeadline {
  const ending = new AbortController();
  // Every connection of a chain of redirects listens.
  setMaxListeners(0, ending.signal);
  const giveUp = () => ending.abort(new HttpRequestError('The request was given up.'));
  const timer = setTimeout(() => ending.abort(new HttpRequestError(`No full answer came within ${ms / 1_000} s.`)), ms);
  for (const signal of givenUp) {
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  }
  return {
    signal: ending.signal,
    clear() {
      clearTimeout(timer);
      for (const signal of givenUp) signal.removeEventListener('abort', giveUp);
    },
  };
}
