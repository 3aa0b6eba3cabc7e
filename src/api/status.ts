import type { ServerStatus } from '#contract/responses';
import { readPackageVersion } from '#infra/package-info';
import type { Context } from './context';
import type { Handlers } from './routes';
import { sharedFor } from './shared';

/** Temporal is asked this often at most, however many look. */
const SHARED_MS = 2_000;

export function status(context: Context): Pick<Handlers, 'getStatus'> {
  const version = readPackageVersion();
  const told = sharedFor(SHARED_MS, () => standing(context));
  return {
    async getStatus(_request, response) {
      response.json({ version, ...(await told()) } satisfies ServerStatus);
    },
  };
}

/** Trouble with Temporal is what is asked about here, and no reason to say nothing. */
async function standing({ gateway, agents, channels, hasKeys, url }: Context): Promise<Omit<ServerStatus, 'version'>> {
  const [ready, workers] = await Promise.allSettled([gateway.ready(), gateway.workers()]);
  return {
    temporal: { reachable: ready.status === 'fulfilled', namespace: gateway.namespace },
    workers: workers.status === 'fulfilled' ? workers.value : null,
    agents: agents.size,
    channels: { slack: channels.slack !== undefined, email: channels.email !== undefined, webhook: true },
    keys: hasKeys,
    publicUrl: url,
  };
}
