import { isCovered } from './http-hosts';
import { fillInAll, type Variables, valuesIn } from './variables';

export type HeadersByHost = Record<string, Record<string, string>>;

/** Shorter ones are no keys, and would blot out half the answer. */
const SHORTEST_SECRET = 6;

/** An agent's own headers, such as keys: filled in here, sent to their host alone, and kept from the model. */
export function secretHeaders(byHost: HeadersByHost, variables: Variables) {
  const secrets = Object.values(byHost)
    .flatMap((headers) => Object.values(headers).flatMap((text) => valuesIn(text, variables)))
    .filter((value) => value.length >= SHORTEST_SECRET)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return {
    headersFor(url: URL, isInternal: boolean): Record<string, string> {
      const found = Object.entries(byHost).find(([host]) => isCovered([host], url));
      if (!found) return {};
      if (url.protocol !== 'https:' && !isInternal)
        throw new Error(
          `The agent's file has headers for ${found[0]}, which are sent by https only, or to a host in PARLEY_INTERNAL_HOSTS.`,
        );
      return fillInAll(found[1], variables);
    },
    /** Some servers send back what they were sent. */
    hide: (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text),
  };
}
