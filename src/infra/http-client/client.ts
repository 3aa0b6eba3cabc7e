import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import { withTimeout } from '#infra/with-timeout';
import { createInternalHosts } from './internal-hosts';
import { type PreparedRequest, sendSingleRequest } from './send-request';
import { checkAddresses, type DnsLookup, type SsrfGuard } from './ssrf-guard';
import { HttpRequestError, parseHttpUrl, toHostAndPort, validateHeaders } from './validate-request';

/** An HTTP request that an agent makes, without a person's review. */
export interface OutboundRequest {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  /** Returns null, or why the URL may not be called. */
  mayCall(url: URL): string | null;
  /** Further headers for the host, such as a key. `isInternal`: the operator lists the host. */
  headersFor?(url: URL, isInternal: boolean): Record<string, string>;
  maxBytes: number;
  /** If false, a response with a status counts as success, even if reading its body fails. */
  needsBody?: boolean;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Whether the body was cut at `maxBytes`. */
  truncated: boolean;
}

/** Makes outbound requests. A redirect is a response like any other. Rejections and failures are an `Error` with a readable sentence. */
export interface HttpClient {
  request(request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** A client that can also check a URL without calling it. */
export interface SafeHttpClient extends HttpClient {
  /** Returns why the URL may not be called, or null. A host that does not resolve yet is allowed. */
  findDenialReason(url: URL): Promise<string | null>;
  /** Whether the operator allows this internal host. */
  isInternal(url: URL): boolean;
}

export interface HttpClientOptions {
  /** Non-public hosts that may be called: names, `host:port`, addresses and networks. */
  internalHosts: string[];
  lookup?: DnsLookup;
}

const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Creates a client that reaches only public hosts, and internal hosts that the operator allows. */
export function createHttpClient(options: HttpClientOptions): SafeHttpClient {
  const { internalHosts, lookup = (hostname) => resolve(hostname, { all: true }) } = options;
  const guard = { internalHosts: createInternalHosts(internalHosts), lookup };
  const closeController = new AbortController();
  return {
    async request(request) {
      const deadline = startRequestDeadline(request.timeoutMs, [request.signal, closeController.signal]);
      try {
        const prepared = prepareRequest(request, guard);
        return { ...(await sendSingleRequest(prepared, guard, request, deadline.signal)), url: prepared.url.href };
      } finally {
        deadline.clear();
      }
    },
    async findDenialReason(url) {
      const target = toHostAndPort(url);
      const addresses = isIP(target.hostname) ? [target.hostname] : await resolveAddresses(target.hostname, guard);
      return addresses.length === 0 ? null : (checkAddresses(guard, target, addresses)?.message ?? null);
    },
    isInternal: (url) => guard.internalHosts.isListed(toHostAndPort(url)),
    close: async () => closeController.abort(),
  };
}

const LOOKUP_TIMEOUT_MS = 3_000;

/** Returns no addresses if the lookup fails or takes too long: the request itself looks the name up again. */
async function resolveAddresses(hostname: string, { lookup }: SsrfGuard): Promise<string[]> {
  const addresses = await withTimeout<LookupAddress[]>(lookup(hostname), LOOKUP_TIMEOUT_MS, () => []).catch(() => []);
  return addresses.map(({ address }) => address);
}

function prepareRequest(request: OutboundRequest, { internalHosts }: SsrfGuard): PreparedRequest {
  const { method, headers = {}, body, mayCall, headersFor } = request;
  if (!HTTP_METHODS.includes(method))
    throw new HttpRequestError(`Unknown method ${method}: use ${HTTP_METHODS.join(', ')}.`);
  const url = parseHttpUrl(request.url);
  const denial = mayCall(url);
  if (denial !== null) throw new HttpRequestError(denial);
  const hostHeaders = headersFor?.(url, internalHosts.isListed(toHostAndPort(url))) ?? {};
  return { url, method, headers: { ...validateHeaders(headers), ...validateHeaders(hostHeaders) }, body };
}

/** Aborts a request when the caller cancels it, when Parley stops, or at the timeout. */
function startRequestDeadline(timeoutMs: number, abortSignals: AbortSignal[]) {
  const controller = new AbortController();
  const abort = () => controller.abort(new HttpRequestError('The request was aborted.'));
  const timer = setTimeout(
    () => controller.abort(new HttpRequestError(`No complete response within ${timeoutMs / 1_000} s.`)),
    timeoutMs,
  );
  for (const signal of abortSignals) {
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  }
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      for (const signal of abortSignals) signal.removeEventListener('abort', abort);
    },
  };
}
