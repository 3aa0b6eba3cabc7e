import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Answer, call } from './call';
import { type Guard, type Lookup, refusalOf } from './connect';
import { startDeadline } from './deadline';
import { checkHeaders } from './headers';
import { internalHosts } from './internal-hosts';
import type { CheckedNetwork, OutboundRequest, OutboundResponse } from './network';
import { placeOf, readUrl } from './read-url';
import { type Hop, isRedirect, redirected } from './redirect';
import { Refusal } from './refusal';

export interface NetworkSettings {
  /** What may be called although it is not public: names, `host:port`, addresses and networks. */
  internal: string[];
  lookup?: Lookup;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const MOST_REDIRECTS = 5;

/** The way out for requests nobody looked at: it leads to public hosts, and to those inside that the operator names. */
export function createNetwork(settings: NetworkSettings): CheckedNetwork {
  const { internal, lookup = (hostname) => resolve(hostname, { all: true }) } = settings;
  const guard = { internal: internalHosts(internal), lookup };
  const closing = new AbortController();
  return {
    async request(request) {
      const deadline = startDeadline(request.timeoutMs, [request.signal, closing.signal]);
      try {
        return await follow(request, guard, deadline.signal);
      } finally {
        deadline.clear();
      }
    },
    async refusalOf(url) {
      const place = placeOf(url);
      const addresses = isIP(place.hostname) ? [place.hostname] : await addressesOf(place.hostname, guard);
      return addresses.length === 0 ? null : (refusalOf(guard, place, addresses)?.message ?? null);
    },
    isInternal: (url) => guard.internal.names(placeOf(url)),
    close: async () => closing.abort(),
  };
}

const LOOKUP_MS = 3_000;

/** None where it cannot be told in time: it is asked again when it is called. */
async function addressesOf(hostname: string, { lookup }: Guard): Promise<string[]> {
  const late = new Promise<LookupAddress[]>((resolve) => setTimeout(resolve, LOOKUP_MS, []).unref());
  const found = await Promise.race([lookup(hostname).catch(() => []), late]);
  return found.map(({ address }) => address);
}

async function follow(
  request: OutboundRequest,
  guard: Guard,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  let hop = firstHop(request);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    signal.throwIfAborted();
    const answer = await call(dressed(hop, request, guard), guard, request, signal);
    if (!isRedirect(answer) || request.followsRedirects === false) return { ...answer, url: hop.url.href };
    hop = nextHop(hop, answer, request);
  }
  throw new Refusal(
    `The request was redirected more than ${MOST_REDIRECTS} times: ${hop.url.host} was next.`,
  );
}

function firstHop(request: OutboundRequest): Hop {
  const { method, headers = {}, body } = request;
  if (!METHODS.includes(method))
    throw new Refusal(`There is no method ${method}: use ${METHODS.join(', ')}.`);
  const url = readUrl(request.url);
  const why = request.mayCall(url);
  if (why !== null) throw new Refusal(why);
  return { url, method, headers: checkHeaders(headers), body };
}

function nextHop(hop: Hop, { status, headers }: Answer, { mayCall }: OutboundRequest): Hop {
  const next = redirected(hop, status, headers.location ?? '');
  const why = mayCall(next.url);
  if (why !== null) throw new Refusal(`${hop.url.host} redirects to ${next.url.origin}. ${why}`);
  return next;
}

/** With the headers that are for this host alone; the next hop does not inherit them. */
function dressed(hop: Hop, { headersFor }: OutboundRequest, { internal }: Guard): Hop {
  const own = headersFor?.(hop.url, internal.names(placeOf(hop.url))) ?? {};
  return { ...hop, headers: { ...hop.headers, ...checkHeaders(own) } };
}
