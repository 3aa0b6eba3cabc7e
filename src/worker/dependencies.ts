import type { ActivityDeps } from '#activities/create-activities';
import { logStorageFailure } from '#archive/conversation-archive';
import type { Channel } from '#channels/channel';
import { createChannels } from '#channels/registry';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import type { Config } from '#infra/config';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createHttpClient } from '#infra/http-client/client';
import type { Log } from '#infra/log';
import { openExports, openStorage } from '#infra/storage/open-storage';
import { type Tracing, withHttpTracing } from '#infra/telemetry/tracing';
import { selectModel } from '#models/select-model';
import { withModelTracing } from '#telemetry/model-telemetry';
import type { Metrics } from '#telemetry/telemetry';
import { createMcpServers } from '#tools/mcp/servers';

/** What activities reach the world by. */
export interface WorkerDeps {
  forActivities: Omit<ActivityDeps, 'tools' | 'vouches' | 'readTranscript' | 'client'>;
  /** What the model is called by, for people to read. */
  model: string;
  close(): Promise<void>;
}

/** Who looks on at what a worker does. */
export interface WorkerTelemetry {
  metrics?: Metrics;
  tracing?: Tracing;
}

export async function createWorkerDeps(
  config: Config,
  log: Log,
  given?: Channel[],
  { metrics, tracing }: WorkerTelemetry = {},
): Promise<WorkerDeps> {
  const model = await selectModel(config.model);
  const network = createHttpClient({ internal: config.internalHosts });
  const mcp = createMcpServers({ variables: config.environment });
  const way = createHttpClient({ internal: listAllowedInternalHosts(config) });
  const outside = tracing ? withHttpTracing(way, tracing) : way;
  const channels =
    given ??
    createChannels({
      settings: config.channels,
      secret: loadOrCreateSecret(config.secret, config.data),
      network: outside,
      log,
      isOpen: !config.keys,
      isPrivate: config.temporal.encryption !== undefined,
    });
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const exports = config.exports && openExports(config.exports, config);
  const ended = new AbortController();
  logStorageFailure(log, 'PARLEY_STORAGE', storage?.tryOut('write'), ended.signal);
  logStorageFailure(log, 'PARLEY_EXPORTS', exports?.tryOut('write'), ended.signal);
  const { environment: variables } = config;
  const counted = metrics ? metrics.model(model.model) : model.model;
  const called = tracing ? withModelTracing(counted, tracing) : counted;
  return {
    forActivities: { model: called, network, mcp, channels, variables, storage, exports },
    model: model.name,
    async close() {
      ended.abort();
      await Promise.all([model.stop(), mcp.close(), network.close(), outside.close()]);
      storage?.close();
      exports?.close();
    },
  };
}
