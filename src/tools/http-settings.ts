import { z } from 'zod';
import { HOST_RULE, isCovered, readHost } from './http-hosts';

const Host = z.string().refine((text) => readHost(text) !== undefined, HOST_RULE);

const UNDER_THEIR_HOST =
  'headers stand under their host, as in headers: {api.example.com: {authorization: …}}';

/** What stands beside `http_request` in an agent's file: where it may go, and what it takes along. */
export const HttpSettings = z
  .strictObject({
    hosts: z
      .array(Host)
      .min(1, `name at least one host: ${HOST_RULE}`)
      .max(100)
      .describe('The hosts it may call, as in hosts: [api.example.com]'),
    headers: z.record(z.string(), z.record(z.string(), z.string(), UNDER_THEIR_HOST)).default({}),
  })
  .superRefine(({ hosts, headers }, context) => {
    const fault = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path: ['headers', ...path], message });
    for (const [host, texts] of Object.entries(headers)) {
      const why = whyNoHost(host, hosts);
      if (why !== null) fault([host], why);
      for (const name of Object.keys(texts))
        if (!/^[\w-]+$/.test(name)) fault([host, name], 'that is no name of a header');
    }
  });

function whyNoHost(text: string, hosts: string[]): string | null {
  const host = readHost(text);
  if (!host) return HOST_RULE;
  if (host.isWild) return 'headers are for one host each, without *';
  const isCallable = ['https', 'http'].some((scheme) => isCovered(hosts, new URL(`${scheme}://${text}`)));
  return isCallable ? null : `${text} is not among the hosts`;
}
