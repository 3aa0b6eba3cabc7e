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
import { withHttpTracing } from '#infra/telemetry/tracing';
import { selectModel } from '#models/select-model';
import { addChannelLabels } from '#presentation/labels';
import { withModelTracing } from '#telemetry/model-telemetry';
import type { Telemetry } from '#telemetry/telemetry';
import { createMcpServers } from '#tools/mcp/servers';

export type WorkerDeps = Awaited<ReturnType<typeof createWorkerDeps>>;

/** Creates the external services of a worker. */
export async function createWorkerDeps(
  config: Config,
  log: Log,
  channels: readonly Channel[] = CHANNELS,
  { metrics, tracing }: Partial<Telemetry> = {},
) {
  addChannelLabels(labelsOf(channels));
  const model = await selectModel(config.model, config.findModelPrice);
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
  const countedModel = metrics ? metrics.model(model.model) : model.model;
  const tracedModel = tracing ? withModelTracing(countedModel, tracing) : countedModel;
  return {
    activityDeps: {
      model: tracedModel,
      overloadLimitMs: config.overloadLimitMs,
      network: toolHttpClient,
      mcp: mcpServers,
      channels: senders,
      variables: config.environment,
      storage,
      exports,
    } satisfies Omit<ActivityDeps, 'tools' | 'verifyGrant' | 'readTranscript' | 'client'>,
    /** Display name of the model. */
    model: model.name,
    async close(): Promise<void> {
      closing.abort();
      await Promise.all([model.stop(), mcpServers.close(), toolHttpClient.close(), channelHttpClient.close()]);
      storage?.close();
      exports?.close();
    },
  };
}
