import type { ApiDeps } from '#api/dependencies';
import { ApiError } from '#api/middleware/errors';
import type { OperationHandlers } from '#api/router';
import { labelsOf } from '#channels/registry';
import type { ServerStatus } from '#contract/responses';
import { createCachedRead } from '#infra/cached-read';
import { readPackageVersion } from '#infra/package-info';

/** Anyone may ask, so Temporal is queried at most once per second. */
const READY_CACHE_MS = 1_000;

export function healthRoutes({
  gateway,
  isStopping,
  metrics,
}: ApiDeps): Pick<OperationHandlers, 'getHealth' | 'getReadiness' | 'getMetrics'> {
  const readiness = createCachedRead(READY_CACHE_MS, async () => {
    await gateway.ready();
    return { status: 'ready' };
  });
  return {
    getHealth: (_request, response) => void response.json({ status: 'ok' }),
    async getReadiness(_request, response) {
      if (isStopping()) throw new ApiError('stopping', 'This process is shutting down. Use another instance.');
      response.json(await readiness.read());
    },
    async getMetrics(_request, response) {
      response.setHeader('Cache-Control', 'no-store');
      response.type(metrics.contentType).send(await metrics.text());
    },
  };
}

/** Temporal is queried at most this often, however many clients ask. */
const STATUS_CACHE_MS = 2_000;

export function statusRoutes(deps: ApiDeps): Pick<OperationHandlers, 'getStatus'> {
  const version = readPackageVersion();
  const status = createCachedRead(STATUS_CACHE_MS, () => readStatus(deps));
  return {
    async getStatus(_request, response) {
      response.json({ version, ...(await status.read()) } satisfies ServerStatus);
    },
  };
}

/** Reports Temporal errors as status instead of failing. */
async function readStatus({
  gateway,
  agents,
  channels,
  channelSettings: { byName },
  hasKeys,
  url,
}: ApiDeps): Promise<Omit<ServerStatus, 'version'>> {
  const [ready, workers] = await Promise.allSettled([gateway.ready(), gateway.workers()]);
  return {
    temporal: { reachable: ready.status === 'fulfilled', namespace: gateway.namespace },
    workers: workers.status === 'fulfilled' ? workers.value : null,
    agents: agents.size,
    // Channels without variables need no setting up.
    channels: Object.fromEntries(
      channels.flatMap(({ name, environment }) => (environment ? [[name, byName[name] !== undefined]] : [])),
    ),
    channelLabels: labelsOf(channels),
    keys: hasKeys,
    publicUrl: url,
  };
}
