import { portOf } from './connect';
import type { Place } from './internal-hosts';
import { Refusal } from './refusal';

/** The one spelling of a web address that everything after looks at. */
export function readUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href))
    throw new Refusal('That is not a web address: write it out, with https://.');
  const url = new URL(text, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Refusal(`Addresses with ${url.protocol} may not be called, only https: and http:.`);
  if (url.username !== '' || url.password !== '')
    throw new Refusal('A web address may not hold a user name or password.');
  // The root of all names may be written out: `example.com.` is `example.com`.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  url.hash = '';
  return url;
}

export function placeOf(url: URL): Place {
  return { hostname: url.hostname.replace(/^\[|\]$|\.$/g, ''), port: url.port || portOf(url.protocol) };
}
