import { isIP } from 'node:net';
import { z } from 'zod';
import { createSecretRedactor, type EnvironmentVariables, interpolateTexts } from '#tools/interpolate-variables';

/** A host pattern from an agent file. */
interface HostPattern {
  name: string;
  /** Matches the sub-domains of that name, but not the name itself. */
  isWildcard: boolean;
  port: string | undefined;
}

const HOST_PATTERN_HELP =
  'must be a host such as api.example.com, api.example.com:8443 or *.example.com, without https:// or a path';

/** Returns `undefined` if the text is not a host pattern. */
function parseHostPattern(text: string): HostPattern | undefined {
  const parts = /^(\*\.)?(\[[0-9A-Fa-f:.]+\]|[^\s*:/?#@[\]\\%]+)(?::([1-9]\d{0,4}))?$/.exec(text);
  const [, wildcard, host = '', port] = parts ?? [];
  // Normalised like a URL: lower case, Punycode, one spelling for each IP address.
  if (!parts || !URL.canParse(`https://${host}`) || Number(port ?? 1) > 65_535) return undefined;
  const name = new URL(`https://${host}`).hostname.replace(/\.$/, '');
  const isWildcard = wildcard !== undefined;
  return isWildcard && isIP(name.replace(/^\[|\]$/g, '')) !== 0 ? undefined : { name, isWildcard, port };
}

/** Without a port, the pattern allows https on 443. Plain http needs an explicit port other than 443. */
function matchesHostPattern({ name, isWildcard, port }: HostPattern, url: URL): boolean {
  const isSameHost = isWildcard ? url.hostname.endsWith(`.${name}`) : url.hostname === name;
  if (!isSameHost) return false;
  const isSecure = url.protocol === 'https:';
  const calledPort = url.port || (isSecure ? '443' : '80');
  return calledPort === (port ?? '443') && (isSecure || calledPort !== '443');
}

function isAllowedHost(hosts: string[], url: URL): boolean {
  return hosts.some((text) => {
    const host = parseHostPattern(text);
    return host !== undefined && matchesHostPattern(host, url);
  });
}

/** Returns why an agent with these hosts may not call the URL, or null. */
export function explainBlockedHost(hosts: string[], url: URL): string | null {
  if (isAllowedHost(hosts, url)) return null;
  const httpsUrl = new URL(`https://${url.hostname}`);
  if (url.protocol === 'http:' && url.port === '' && isAllowedHost(hosts, httpsUrl))
    return `${url.hostname} only allows https: use https://${url.hostname}.`;
  return `This agent may not call ${url.host} over ${url.protocol.slice(0, -1)}. Allowed hosts: ${hosts.join(', ')}.`;
}

const HostPatternText = z.string().refine((text) => parseHostPattern(text) !== undefined, HOST_PATTERN_HELP);

const HEADERS_FORMAT_HELP = 'must be headers by host, as in headers: {api.example.com: {authorization: …}}';

/** Settings of `http_request` in an agent file: allowed hosts, and headers to send. */
export const HttpRequestSettings = z
  .strictObject({
    hosts: z
      .array(HostPatternText)
      .min(1, 'must name at least one host, such as api.example.com')
      .max(100)
      .describe('The hosts it may call, as in hosts: [api.example.com]'),
    headers: z.record(z.string(), z.record(z.string(), z.string(), HEADERS_FORMAT_HELP)).default({}),
  })
  .superRefine(({ hosts, headers }, context) => {
    const addHeaderIssue = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path: ['headers', ...path], message });
    for (const [host, hostHeaders] of Object.entries(headers)) {
      const issue = findHeaderHostIssue(host, hosts);
      if (issue !== null) addHeaderIssue([host], issue);
      for (const name of Object.keys(hostHeaders))
        if (!/^[\w-]+$/.test(name)) addHeaderIssue([host, name], 'is not a valid header name');
    }
  });

function findHeaderHostIssue(text: string, hosts: string[]): string | null {
  const host = parseHostPattern(text);
  if (!host) return HOST_PATTERN_HELP;
  if (host.isWildcard) return 'must be a single host, without *';
  const isCallable = ['https', 'http'].some((scheme) => isAllowedHost(hosts, new URL(`${scheme}://${text}`)));
  return isCallable ? null : `${text} is not listed in hosts`;
}

export type HeadersByHost = Record<string, Record<string, string>>;

/**
 * Creates the agent's own headers, such as API keys. Their variables are filled in here, they are sent only to their
 * host, and the model never sees them.
 */
export function createSecretHeaders(headersByHost: HeadersByHost, variables: EnvironmentVariables) {
  return {
    headersFor(url: URL, isInternal: boolean): Record<string, string> {
      const entry = Object.entries(headersByHost).find(([host]) => isAllowedHost([host], url));
      if (!entry) return {};
      if (url.protocol !== 'https:' && !isInternal)
        throw new Error(
          `The headers that the agent file sets for ${entry[0]} are only sent over https, or to a host in PARLEY_INTERNAL_HOSTS.`,
        );
      return interpolateTexts(entry[1], variables);
    },
    redact: createSecretRedactor(Object.values(headersByHost).flatMap(Object.values<string>), variables),
  };
}
