import path from 'node:path';
import type { Express } from 'express';
import { signAgentGrants } from '#agents/grant-signature';
import { type AgentsByName, InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { logStorageFailure } from '#archive/conversation-archive';
import type { Channel } from '#channels/channel';
import { CHANNELS, labelsOf } from '#channels/registry';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import { type Config, ConfigError } from '#infra/config';
import { deriveAudienceSalt } from '#infra/crypto/audience-salt';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createHttpClient } from '#infra/http-client/client';
import { retryUntilReady } from '#infra/lifecycle';
import { createMissingKeyReporter, type Log, logEncryptionStatus } from '#infra/log';
import { findPackageRoot } from '#infra/package-info';
import { openStorage } from '#infra/storage/open-storage';
import type { Tracing } from '#infra/telemetry/tracing';
import { createTemporalClient } from '#infra/temporal/client';
import { createPayloadCodecs } from '#infra/temporal/codec/data-converter';
import { prepareNamespace } from '#infra/temporal/prepare-namespace';
import { addChannelLabels } from '#presentation/labels';
import { createMetrics, type Metrics } from '#telemetry/telemetry';
import { createClientTracingInterceptors } from '#telemetry/temporal-tracing';
import { addStorageTools, builtInTools } from '#tools/registry';
import type { Tool } from '#tools/tool';
import { selectToolsFor } from '#tools/tool-set';
import { TASK_QUEUE } from '#workflows/messages';
import { createApp } from './app';
import type { ApiDeps } from './dependencies';
import { principalFor } from './middleware/authentication';
import { createRateLimiters, createStreamLimiter } from './middleware/rate-limit';
import { readUiOrigins } from './routes/codec';
import { readTriggerSecrets } from './routes/webhook-triggers';
import { createArchiveReader } from './services/archived-entries';
import { createStreamHub, type StreamHub, type StreamHubOptions } from './streaming/hub';
import { createTemporalGateway, type WaitLimits } from './temporal/gateway';

export interface Api {
  app: Express;
  streamHub: StreamHub;
  /** Makes /readyz fail, so that load balancers stop sending requests here. */
  markStopping(): void;
  /** Ends the streams. The remaining requests end by themselves. */
  drain(): Promise<void>;
  /** Closes connections to other services. Call it once no request is running. */
  close(): Promise<void>;
}

export interface ApiOptions {
  taskQueue?: string;
  /** The workers' tools, which agent files may name. */
  tools?: Tool[];
  /** The folder of the built web app. */
  webFolder?: string;
  /** Shared with a worker in the same process. */
  metrics?: Metrics;
  tracing?: Tracing;
  /** Overrides the default limits of SSE streams. */
  streamOptions?: Partial<StreamHubOptions>;
  /** How long requests wait for Temporal and for workers. */
  waitLimits?: Readonly<WaitLimits>;
  /** All channels. `config` has their settings. */
  channels?: readonly Channel[];
}

const DEFAULT_UI = 'http://127.0.0.1:8233';
const WEB_FOLDER = path.join(findPackageRoot(), 'dist', 'web');

/**
 * Creates the HTTP API, except for its listener; `url` is its public address. Works while Temporal is down, and becomes
 * ready once Temporal is.
 */
export async function createApi(
  config: Config,
  log: Log,
  url: string,
  {
    taskQueue = TASK_QUEUE,
    tools: availableTools = builtInTools,
    webFolder = WEB_FOLDER,
    metrics = createMetrics(config),
    tracing,
    streamOptions,
    waitLimits,
    channels = CHANNELS,
  }: ApiOptions = {},
): Promise<Api> {
  addChannelLabels(labelsOf(channels));
  const tools = addStorageTools(availableTools, config.storage !== undefined);
  const secret = loadOrCreateSecret(config.secret, config.dataFolder);
  const agents = loadSignedAgents(config, tools, channels, secret);
  const triggerSecrets = readTriggerSecrets(agents, config.environment);
  const salt = deriveAudienceSalt(secret);
  logEncryptionStatus(log, config.temporal.encryption);
  const reportMissingKey = createMissingKeyReporter(log, metrics.countMissingKey);
  const client = createTemporalClient(config.temporal, {
    grpcInterceptor: metrics.grpc,
    clientInterceptors: tracing && createClientTracingInterceptors(tracing),
  });
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const rateLimiters = await createRateLimiters(config, log);
  const temporalUiUrl = config.temporal.uiUrl ?? DEFAULT_UI;
  const gateway = createTemporalGateway(client, taskQueue, {
    readArchive: createArchiveReader(storage, log),
    isExportEnabled: config.exports !== undefined,
    salt,
    reportMissingKey,
    waitLimits,
  });
  metrics.watchBacklog(() => gateway.backlog());
  const buildLinks = (id: string) => ({
    self: `${url}/v1/conversations/${id}`,
    events: `${url}/v1/conversations/${id}/events`,
    web: `${url}/conversations/${id}`,
    temporal: `${temporalUiUrl}/namespaces/${config.temporal.namespace}/workflows/${id}`,
  });
  const streamHub = createStreamHub(gateway, buildLinks, streamOptions);
  const httpClient = createHttpClient({ internalHosts: listAllowedInternalHosts(config) });
  let isStopping = false;
  const deps: ApiDeps = {
    url,
    gateway,
    isStopping: () => isStopping,
    streamHub,
    withStreamLimit: createStreamLimiter(metrics.http.trackStream),
    agents,
    findModelPrice: config.findModelPrice,
    storage,
    toolNames: (agent) => selectToolsFor(agent, tools).map((tool) => tool.name),
    triggerSecrets,
    webFolder,
    secret,
    audienceSalt: config.temporal.encryption && salt,
    hasKeys: config.apiKeys !== undefined,
    channels,
    channelSettings: config.channels,
    principalFor: (name) => principalFor(name, config.apiKeys, config.channels.people),
    httpClient,
    log,
    metrics,
    tracing,
    reportMissingKey,
    now: Date.now,
    buildLinks,
    codecs: createPayloadCodecs(config.temporal.encryption),
    uiOrigins: readUiOrigins(temporalUiUrl),
  };
  const app = createApp(deps, config, rateLimiters, log);
  const preparation = new AbortController();
  const prepare = () => prepareNamespace(client, config, log, preparation.signal);
  retryUntilReady('Temporal', prepare, log, preparation.signal).catch((error: Error) => {
    if (!preparation.signal.aborted) log.error(error.message);
  });
  // The API only reads from the storage.
  logStorageFailure(log, 'PARLEY_STORAGE', storage?.probe('read'), preparation.signal);
  const drain = async () => {
    preparation.abort();
    await streamHub.stop();
  };
  const close = async () => {
    await rateLimiters.stop();
    await httpClient.close();
    await gateway.close();
    storage?.close();
  };
  const markStopping = () => {
    isStopping = true;
  };
  return { app, streamHub, markStopping, drain, close };
}

/** Loads the agents with signed grants, as conversations that start here store them. */
function loadSignedAgents(config: Config, tools: Tool[], channels: readonly Channel[], secret: string): AgentsByName {
  try {
    const loaded = [...loadAgents(config.agentsFolder, tools, channels)];
    return new Map(loaded.map(([name, agent]) => [name, signAgentGrants(secret, agent)]));
  } catch (error) {
    throw error instanceof InvalidAgentsError ? new ConfigError(error.message) : error;
  }
}
