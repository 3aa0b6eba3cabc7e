import type { ActivityDeps } from '#activities/create-activities';
import { logStorageFailure } from '#archive/conversation-archive';
import type { Channel } from '#channels/channel';
import { CHANNELS, createSenders, labelsOf } from '#channels/registry';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import type { Config } from '#infra/config';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createHttpClient } from '#infra/http-client/client';
import type { Log } from '#infra/log';
import { openExports, openStorage } from '#infra/storage/open-storage';
import { type Tracing, withHttpTracing } from '#infra/telemetry/tracing';
import { selectModel } from '#models/select-model';
import { addChannelLabels } from '#presentation/labels';
import { withModelTracing } from '#telemetry/model-telemetry';
import type { Metrics } from '#telemetry/telemetry';
import { createMcpServers } from '#tools/mcp/servers';

/** The external services of a worker. */
export interface WorkerDeps {
  activityDeps: Omit<ActivityDeps, 'tools' | 'verifyGrant' | 'readTranscript' | 'client'>;
  /** Display name of the model. */
  model: string;
  close(): Promise<void>;
}

/** The metrics and tracing of a worker. */
export interface WorkerTelemetry {
  metrics?: Metrics;
  tracing?: Tracing;
}

export async function createWorkerDeps(
  config: Config,
  log: Log,
  channels: readonly Channel[] = CHANNELS,
  { metrics, tracing }: WorkerTelemetry = {},
): Promise<WorkerDeps> {
  addChannelLabels(labelsOf(channels));
  const model = await selectModel(config.model);
  const toolHttpClient = createHttpClient({ internalHosts: config.internalHosts });
  const mcpServers = createMcpServers({ variables: config.environment });
  const plainHttpClient = createHttpClient({ internalHosts: listAllowedInternalHosts(config) });
  const channelHttpClient = tracing ? withHttpTracing(plainHttpClient, tracing) : plainHttpClient;
  const senders = createSenders(channels, config.channels, {
    secret: loadOrCreateSecret(config.secret, config.dataFolder),
    httpClient: channelHttpClient,
    log,
    allowAnyone: !config.apiKeys,
    redactLog: config.temporal.encryption !== undefined,
  });
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const exports = config.exports && openExports(config.exports, config);
  const closing = new AbortController();
  logStorageFailure(log, 'PARLEY_STORAGE', storage?.probe('write'), closing.signal);
  logStorageFailure(log, 'PARLEY_EXPORTS', exports?.probe('write'), closing.signal);
  const { environment: variables } = config;
  const countedModel = metrics ? metrics.model(model.model) : model.model;
  const tracedModel = tracing ? withModelTracing(countedModel, tracing) : countedModel;
  return {
    activityDeps: {
      model: tracedModel,
      network: toolHttpClient,
      mcp: mcpServers,
      channels: senders,
      variables,
      storage,
      exports,
    },
    model: model.name,
    async close() {
      closing.abort();
      await Promise.all([model.stop(), mcpServers.close(), toolHttpClient.close(), channelHttpClient.close()]);
      storage?.close();
      exports?.close();
    },
  };
}
