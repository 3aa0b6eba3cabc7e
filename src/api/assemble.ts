import path from 'node:path';
import type { Express } from 'express';
import { AgentFault, type Agents, readAgents } from '#agents/read-agents';
import { receiversInside } from '#channels/webhook/receivers';
import { type Config, ConfigError } from '#config';
import { keptSecret } from '#kept-secret';
import { keyTeller, type Log, sayEncryption, sayUnusable } from '#log';
import type { Metrics } from '#metrics/metrics';
import { createNetwork } from '#network/guarded';
import { metricsOf } from '#onlookers';
import { persist } from '#process';
import { projectFolder } from '#project';
import { withSeals } from '#signing/pinned';
import { openStorage } from '#storage/open-store';
import { lazyClient } from '#temporal/connect';
import { payloadCodecs } from '#temporal/converter';
import { prepareNamespace } from '#temporal/namespace';
import { builtIn, withStorage } from '#tools/registry';
import type { Tool } from '#tools/tool';
import { toolsOf } from '#tools/toolbox';
import { clientTracing } from '#tracing/temporal';
import type { Tracing } from '#tracing/tracing';
import { TASK_QUEUE } from '#workflows/messages';
import { createApp } from './app';
import { callerNamed } from './caller';
import { uiOriginsOf } from './codec';
import type { Context } from './context';
import { createGateway, type Patience } from './gateway';
import { readHookSecrets } from './hook-secrets';
import { keptEntries } from './kept-entries';
import { createLimits } from './limits';
import { createLive, type Live, type LiveOptions } from './live/live';
import { saltFrom } from './salt';
import { lookAtStanding } from './standing';
import { createStreams } from './streams';

export interface Assembled {
  app: Express;
  live: Live;
  /** Says at /readyz that nobody should be sent here any more. */
  leave(): void;
  /** Ends the streams: what is left are requests that end by themselves. */
  drain(): Promise<void>;
  /** Lets go of what it stands on, once no request is under way. */
  close(): Promise<void>;
}

export interface ApiSettings {
  taskQueue?: string;
  /** Those the workers have, which agents' files may name. */
  tools?: Tool[];
  /** The folder that the web app was built into. */
  webFolder?: string;
  /** Shared with a worker in the same process. */
  metrics?: Metrics;
  tracing?: Tracing;
  /** How patient streams are, where it matters. */
  pace?: Partial<LiveOptions>;
  /** How long requests wait for Temporal and for workers. */
  patience?: Readonly<Patience>;
}

const DEFAULT_UI = 'http://127.0.0.1:8233';
const WEB_FOLDER = path.join(projectFolder(), 'dist', 'web');

/** Everything of the HTTP API but where it listens; people reach it at `url`. It can be made with Temporal down, and is ready when Temporal is. */
export async function assembleApi(
  config: Config,
  log: Log,
  url: string,
  {
    taskQueue = TASK_QUEUE,
    tools: given = builtIn,
    webFolder = WEB_FOLDER,
    metrics = metricsOf(config),
    tracing,
    pace,
    patience,
  }: ApiSettings = {},
): Promise<Assembled> {
  const tools = withStorage(given, config.storage !== undefined);
  const secret = keptSecret(config.secret, config.data);
  const agents = agentsOf(config, tools, secret);
  const hookSecrets = readHookSecrets(agents, config.environment);
  const salt = saltFrom(secret);
  sayEncryption(log, config.temporal.encryption);
  const sayMissing = keyTeller(log, metrics.keyMissing);
  const client = lazyClient(config.temporal, {
    grpc: metrics.grpc,
    calls: tracing && clientTracing(tracing),
  });
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const limits = await createLimits(config, log);
  const web = config.temporal.uiUrl ?? DEFAULT_UI;
  const gateway = createGateway(client, taskQueue, {
    keptEntries: keptEntries(storage, log),
    exports: config.exports !== undefined,
    salt,
    sayMissing,
    tellAnswer: metrics.http.answered,
    patience,
  });
  metrics.watch(() => lookAtStanding(gateway));
  const linksOf = (id: string) => ({
    self: `${url}/v1/conversations/${id}`,
    events: `${url}/v1/conversations/${id}/events`,
    web: `${url}/conversations/${id}`,
    temporal: `${web}/namespaces/${config.temporal.namespace}/workflows/${id}`,
  });
  const live = createLive(gateway, linksOf, pace);
  const network = createNetwork({ internal: receiversInside(config) });
  let isLeaving = false;
  const context: Context = {
    url,
    gateway,
    isLeaving: () => isLeaving,
    live,
    stream: createStreams(metrics.http.streaming),
    agents,
    storage,
    tools: (agent) => toolsOf(agent, tools).map((tool) => tool.name),
    hookSecrets,
    webFolder,
    secret,
    hiddenBy: config.temporal.encryption && salt,
    hasKeys: config.keys !== undefined,
    channels: config.channels,
    callerNamed: (name) => callerNamed(name, config.keys, config.channels.people),
    network,
    log,
    metrics,
    tracing,
    sayMissing,
    now: Date.now,
    linksOf,
    codecs: payloadCodecs(config.temporal.encryption),
    uiOrigins: uiOriginsOf(web),
  };
  const app = createApp(context, config, limits, log);
  const registering = new AbortController();
  const prepare = () => prepareNamespace(client, config, log, registering.signal);
  persist('Temporal', prepare, log, registering.signal).catch((error: Error) => {
    if (!registering.signal.aborted) log.error(error.message);
  });
  // It only reads.
  sayUnusable(log, 'PARLEY_STORAGE', storage?.tryOut('read'), registering.signal);
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
function agentsOf(config: Config, tools: Tool[], secret: string): Agents {
  try {
    const read = [...readAgents(config.agents, tools)];
    return new Map(read.map(([name, agent]) => [name, withSeals(secret, agent)]));
  } catch (error) {
    throw error instanceof AgentFault ? new ConfigError(error.message) : error;
  }
}
