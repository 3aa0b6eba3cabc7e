import type { HostAndPort } from './internal-hosts';

/** Parses a URL into the one spelling that all later checks use. */
export function parseHttpUrl(text: string): URL {
  if (!URL.canParse(text)) throw new HttpRequestError('Not a complete URL: include https://.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new HttpRequestError(`URLs with ${url.protocol} are not allowed, only https: and http:.`);
  if (url.username !== '' || url.password !== '')
    throw new HttpRequestError('A URL must not contain a user name or password.');
  // A trailing dot marks the DNS root: `example.com.` is `example.com`.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  url.hash = '';
  return url;
}

export function toHostAndPort(url: URL): HostAndPort {
  return {
    hostname: url.hostname.replace(/^\[|\]$|\.$/g, ''),
    port: url.port || defaultPortOf(url.protocol),
  };
}

export type HttpHeaders = Record<string, string>;

/** Headers of the connection. The client sets them itself, as they could be used to smuggle in a second request. */
const CONNECTION_HEADERS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Lower-cases the names. Errors never contain a value, as it may be a key. */
export function validateHeaders(headers: HttpHeaders): HttpHeaders {
  const validated: HttpHeaders = {};
  for (const [rawName, value] of Object.entries(headers)) {
    const name = rawName.toLowerCase();
    if (!HEADER_NAME.test(name)) throw new HttpRequestError(`"${rawName}" is not a valid header name.`);
    if (CONNECTION_HEADERS.test(name))
      throw new HttpRequestError(`The header ${name} cannot be set: it belongs to the connection.`);
    if (!HEADER_VALUE.test(value)) throw new HttpRequestError(`The header ${name} contains invalid characters.`);
    validated[name] = value;
  }
  return validated;
}

/** A rejected or failed request. The message is a sentence for the model to read. */
export class HttpRequestError extends Error {}

export function defaultPortOf(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}
