import { crossing, type Headers, withoutContent } from './headers';
import { readUrl } from './read-url';
import { Refusal } from './refusal';

/** One request of the chain. */
export interface Hop {
  url: URL;
  method: string;
  headers: Headers;
  body?: string;
}

const REDIRECTS = [301, 302, 303, 307, 308];

export function isRedirect({ status, headers }: { status: number; headers: Headers }): boolean {
  return REDIRECTS.includes(status) && headers.location !== undefined;
}

/** Where the answer sends that request, as `fetch` would go there. */
export function redirected(hop: Hop, status: number, location: string): Hop {
  const url = readLocation(hop.url, location);
  if (hop.url.protocol === 'https:' && url.protocol !== 'https:')
    throw new Refusal(`${hop.url.host} redirects from https to http, which is not followed.`);
  const headers = url.origin === hop.url.origin ? hop.headers : crossing(hop.headers);
  if (!becomesGet(status, hop.method)) return { ...hop, url, headers };
  return { url, method: 'GET', headers: withoutContent(headers) };
}

function readLocation(from: URL, location: string): URL {
  try {
    return readUrl(location, from);
  } catch (error) {
    throw new Refusal(`${from.host} redirects to where it is not followed. ${(error as Error).message}`);
  }
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}
