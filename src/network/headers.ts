import { Refusal } from './refusal';

export type Headers = Record<string, string>;

/** They are of the connection and not of the request, so they are ours: with them one request could be made two. */
const OURS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** In lower case, each once. The message never holds a value: it may be a key. */
export function checkHeaders(headers: Headers): Headers {
  const checked: Headers = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!NAME.test(name)) throw new Refusal(`"${given}" cannot be the name of a header.`);
    if (OURS.test(name)) throw new Refusal(`The header ${name} may not be set: it is of the connection.`);
    if (!VALUE.test(value)) throw new Refusal(`The header ${name} holds characters that no header may hold.`);
    checked[name] = value;
  }
  return checked;
}

const CROSSING = /^(accept(-.*)?|content-.*|range|user-agent)$/;

/** What may go to another origin: all else could be a key under any name. */
export function crossing(headers: Headers): Headers {
  return pick(headers, (name) => CROSSING.test(name));
}

/** Without what tells of a body that is no longer sent. */
export function withoutContent(headers: Headers): Headers {
  return pick(headers, (name) => !name.startsWith('content-'));
}

function pick(headers: Headers, isKept: (name: string) => boolean): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}
