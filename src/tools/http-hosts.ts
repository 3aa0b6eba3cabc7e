import { isIP } from 'node:net';

/** A host as an agent's file names it. */
interface Host {
  name: string;
  /** The sub-domains of that name, and not the name itself. */
  isWild: boolean;
  port: string | undefined;
}

export const HOST_RULE =
  'write a host such as api.example.com, api.example.com:8443 or *.example.com, with no https:// and no path';

/** Undefined where it is none. */
export function readHost(text: string): Host | undefined {
  const parts = /^(\*\.)?(\[[0-9A-Fa-f:.]+\]|[^\s*:/?#@[\]\\%]+)(?::([1-9]\d{0,4}))?$/.exec(text);
  const [, wild, host = '', port] = parts ?? [];
  // Spelt as in web addresses: lower case, Punycode, one way to write a number.
  if (!parts || !URL.canParse(`https://${host}`) || Number(port ?? 1) > 65_535) return undefined;
  const name = new URL(`https://${host}`).hostname.replace(/\.$/, '');
  const isWild = wild !== undefined;
  return isWild && isIP(name.replace(/^\[|\]$/g, '')) !== 0 ? undefined : { name, isWild, port };
}

/** Without a port it is https on the usual one. Plain http needs the port written out, and not that of https. */
function covers({ name, isWild, port }: Host, url: URL): boolean {
  const isNamed = isWild ? url.hostname.endsWith(`.${name}`) : url.hostname === name;
  if (!isNamed) return false;
  const isSecure = url.protocol === 'https:';
  const called = url.port || (isSecure ? '443' : '80');
  return called === (port ?? '443') && (isSecure || called !== '443');
}

export function isCovered(hosts: string[], url: URL): boolean {
  return hosts.some((text) => {
    const host = readHost(text);
    return host !== undefined && covers(host, url);
  });
}

/** Null, or why an agent with these hosts may not call that address. */
export function whyNot(hosts: string[], url: URL): string | null {
  if (isCovered(hosts, url)) return null;
  const secure = new URL(`https://${url.hostname}`);
  if (url.protocol === 'http:' && url.port === '' && isCovered(hosts, secure))
    return `${url.hostname} is called by https only: write https://${url.hostname}.`;
  return `${url.host} is not among the hosts this agent may call by ${url.protocol.slice(0, -1)}. Those are: ${hosts.join(', ')}.`;
}
