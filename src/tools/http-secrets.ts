import type { Variables } from '#contract/variables';
import { isCovered } from './http-hosts';
import { fillInAll, hiding } from './variables';

export type HeadersByHost = Record<string, Record<string, string>>;

/** An agent's own headers, such as keys: filled in here, sent to their host alone, and kept from the model. */
export function secretHeaders(byHost: HeadersByHost, variables: Variables) {
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
    hide: hiding(Object.values(byHost).flatMap(Object.values<string>), variables),
  };
}
