import type { Stage } from './converse';

/** How often each call of Temporal's was made, by the server's own count; empty where it has none. */
export type Calls = Map<string, number>;

const REQUESTS = /^service_requests\{([^}]*)\} (\S+)$/gm;

export async function countCalls({ metricsUrl }: Stage): Promise<Calls> {
  const calls: Calls = new Map();
  if (!metricsUrl) return calls;
  const text = await (await fetch(metricsUrl)).text();
  for (const [, labels = '', count] of text.matchAll(REQUESTS)) {
    // The server's own workflows, and what belongs to no namespace.
    const isOurs = !/namespace="(temporal-system|_unknown_)"/.test(labels);
    const operation = /operation="(\w+)"/.exec(labels)?.[1];
    if (isOurs && operation && labels.includes('service_name="frontend"'))
      calls.set(operation, (calls.get(operation) ?? 0) + Number(count));
  }
  return calls;
}

export function callsSince(before: Calls, now: Calls): Calls {
  const grown = [...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return new Map(grown.filter(([, count]) => count > 0));
}

export function totalOf(calls: Calls): number {
  return calls.size > 0 ? [...calls.values()].reduce((sum, count) => sum + count, 0) : Number.NaN;
}
