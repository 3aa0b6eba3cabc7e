import type { Status } from '../contract/status';
import { projectVersion } from '../project';
import type { Context } from './context';
import type { Handlers } from './routes';

export function status(context: Context): Pick<Handlers, 'getStatus'> {
  const version = projectVersion();
  return {
    async getStatus(_request, response) {
      response.json({ version, ...(await standing(context)) } satisfies Status);
    },
  };
}

/** Trouble with Temporal is what is asked about here, and no reason to say nothing. */
async function standing({
  gateway,
  agents,
  channels,
  hasKeys,
  url,
}: Context): Promise<Omit<Status, 'version'>> {
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
