import path from 'node:path';
import type { Express } from 'express';
import { signAgentGrants } from '#agents/grant-signature';
import { type AgentsByName, InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { logStorageFailure } from '#archive/conversation-archive';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import { type Config, ConfigError } from '#infra/config';
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
import { createMetricsFromConfig, type Metrics } from '#telemetry/telemetry';
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
import { saltFrom } from './salt';
import { createArchiveReader } from './services/archived-entries';
import { createStreamHub, type StreamHub, type StreamHubOptions } from './streaming/hub';
import { createTemporalGateway, type WaitLimits } from './temporal/gateway';
import { collectQueueStats } from './temporal/queue-gauges';

export interface Api {
  app: Express;
  live: StreamHub;
  /** Says at /readyz that nobody should be sent here any more. */
  leave(): void;
  /** Ends the streams: what is left are requests that end by themselves. */
  drain(): Promise<void>;
  /** Lets go of what it stands on, once no request is under way. */
  close(): Promise<void>;
}

export interface ApiOptions {
  taskQueue?: string;
  /** Those the workers have, which agents' files may name. */
  tools?: Tool[];
  /** The folder that the web app was built into. */
  webFolder?: string;
  /** Shared with a worker in the same process. */
  metrics?: Metrics;
  tracing?: Tracing;
  /** How patient streams are, where it matters. */
  pace?: Partial<StreamHubOptions>;
  /** How long requests wait for Temporal and for workers. */
  patience?: Readonly<WaitLimits>;
}

const DEFAULT_UI = 'http://127.0.0.1:8233';
const WEB_FOLDER = path.join(findPackageRoot(), 'dist', 'web');

/** Everything of the HTTP API but where it listens; people reach it at `url`. It can be made with Temporal down, and is ready when Temporal is. */
export async function createApi(
  config: Config,
  log: Log,
  url: string,
  {
    taskQueue = TASK_QUEUE,
    tools: given = builtInTools,
    webFolder = WEB_FOLDER,
    metrics = createMetricsFromConfig(config),
    tracing,
    pace,
    patience,
  }: ApiOptions = {},
): Promise<Api> {
  const tools = addStorageTools(given, config.storage !== undefined);
  const secret = loadOrCreateSecret(config.secret, config.data);
  const agents = agentsOf(config, tools, secret);
  const hookSecrets = readTriggerSecrets(agents, config.environment);
  const salt = saltFrom(secret);
  logEncryptionStatus(log, config.temporal.encryption);
  const sayMissing = createMissingKeyReporter(log, metrics.keyMissing);
  const client = createTemporalClient(config.temporal, {
    grpc: metrics.grpc,
    calls: tracing && createClientTracingInterceptors(tracing),
  });
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const limits = await createRateLimiters(config, log);
  const web = config.temporal.uiUrl ?? DEFAULT_UI;
  const gateway = createTemporalGateway(client, taskQueue, {
    keptEntries: createArchiveReader(storage, log),
    exports: config.exports !== undefined,
    salt,
    sayMissing,
    tellAnswer: metrics.http.answered,
    patience,
  });
  metrics.watch(() => collectQueueStats(gateway));
  const linksOf = (id: string) => ({
    self: `${url}/v1/conversations/${id}`,
    events: `${url}/v1/conversations/${id}/events`,
    web: `${url}/conversations/${id}`,
    temporal: `${web}/namespaces/${config.temporal.namespace}/workflows/${id}`,
  });
  const live = createStreamHub(gateway, linksOf, pace);
  const network = createHttpClient({ internal: listAllowedInternalHosts(config) });
  let isLeaving = false;
  const context: ApiDeps = {
    url,
    gateway,
    isLeaving: () => isLeaving,
    live,
    stream: createStreamLimiter(metrics.http.streaming),
    agents,
    storage,
    tools: (agent) => selectToolsFor(agent, tools).map((tool) => tool.name),
    hookSecrets,
    webFolder,
    secret,
    hiddenBy: config.temporal.encryption && salt,
    hasKeys: config.keys !== undefined,
    channels: config.channels,
    callerNamed: (name) => principalFor(name, config.keys, config.channels.people),
    network,
    log,
    metrics,
    tracing,
    sayMissing,
    now: Date.now,
    linksOf,
    codecs: createPayloadCodecs(config.temporal.encryption),
    uiOrigins: readUiOrigins(web),
  };
  const app = createApp(context, config, limits, log);
  const registering = new AbortController();
  const prepare = () => prepareNamespace(client, config, log, registering.signal);
  retryUntilReady('Temporal', prepare, log, registering.signal).catch((error: Error) => {
    if (!registering.signal.aborted) log.error(error.message);
  });
  // It only reads.
  logStorageFailure(log, 'PARLEY_STORAGE', storage?.tryOut('read'), registering.signal);
  const drain = async () => {
    registering.abort();
    await live.stop();
  };
  const close = async () => {
    await limits.stop();
    await network.close();
    await gateway.close();
    storage?.close();
  };
  const leave = () => {
    isLeaving = true;
  };
  return { app, live, leave, drain, close };
}

/** As they are pinned into the conversations that start here. */
function agentsOf(config: Config, tools: Tool[], secret: string): AgentsByName {
  try {
    const read = [...loadAgents(config.agents, tools)];
    return new Map(read.map(([name, agent]) => [name, signAgentGrants(secret, agent)]));
  } catch (error) {
    throw error instanceof InvalidAgentsError ? new ConfigError(error.message) : error;
  }
}
