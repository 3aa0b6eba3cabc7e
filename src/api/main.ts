import type { Server } from 'node:http';
import path from 'node:path';
import { AgentFault, readAgents } from '../agents/read-agents';
import { receiversInside } from '../channels/webhook/receivers';
import { type Config, ConfigError, readConfig } from '../config';
import { keptSecret } from '../kept-secret';
import { createLog, keyTeller, type Log, sayEncryption, sayUnusable } from '../log';
import { createNetwork } from '../network/guarded';
import { persist, runEntry } from '../process';
import { projectFolder } from '../project';
import { openStorage } from '../storage/open-store';
import { lazyClient } from '../temporal/connect';
import { payloadCodecs } from '../temporal/converter';
import { prepareNamespace } from '../temporal/namespace';
import { builtIn, withStorage } from '../tools/registry';
import type { Tool } from '../tools/tool';
import { toolsOf } from '../tools/toolbox';
import { TASK_QUEUE } from '../workflows/messages';
import { createApp } from './app';
import { callerNamed } from './caller';
import { uiOriginsOf } from './codec';
import type { Context } from './context';
import { type Door, openDoor } from './door';
import { refuseUnreadable } from './errors';
import { createGateway } from './gateway';
import { readHookSecrets } from './hook-secrets';
import { keptEntries } from './kept-entries';
import { createLimits } from './limits';
import { createLive, type Live } from './live/live';
import { saltFrom } from './salt';
import { createStreams } from './streams';

export interface RunningApi {
  url: string;
  live: Live;
  stop(): Promise<void>;
  done: Promise<void>;
}

const DEFAULT_UI = 'http://127.0.0.1:8233';

export interface ApiSettings {
  taskQueue?: string;
  /** Those the workers have, which agents' files may name. */
  tools?: Tool[];
  /** The folder that the web app was built into. */
  webFolder?: string;
  /** Where it listens already. */
  door?: Door;
}

const WEB_FOLDER = path.join(projectFolder(), 'dist', 'web');

/** The HTTP API. It starts with Temporal down, and is ready when Temporal is. */
export async function startApi(
  config: Config,
  log: Log,
  { taskQueue = TASK_QUEUE, tools: given = builtIn, webFolder = WEB_FOLDER, door }: ApiSettings = {},
): Promise<RunningApi> {
  const tools = withStorage(given, config.storage !== undefined);
  const agents = agentsOf(config, tools);
  const hookSecrets = readHookSecrets(agents, config.environment);
  const secret = keptSecret(config.secret, config.data);
  const salt = saltFrom(secret);
  sayEncryption(log, config.temporal.encryption);
  const sayMissing = keyTeller(log);
  const client = lazyClient(config.temporal);
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const limits = await createLimits(config, log);
  const { server, url: listening } = door ?? (await openDoor(config));
  const url = config.publicUrl ?? listening;
  const web = config.temporal.uiUrl ?? DEFAULT_UI;
  const gateway = createGateway(client, taskQueue, {
    keptEntries: keptEntries(storage, log),
    exports: config.exports !== undefined,
    salt,
    sayMissing,
  });
  const linksOf = (id: string) => ({
    self: `${url}/v1/conversations/${id}`,
    events: `${url}/v1/conversations/${id}/events`,
    web: `${url}/conversations/${id}`,
    temporal: `${web}/namespaces/${config.temporal.namespace}/workflows/${id}`,
  });
  const live = createLive(gateway, linksOf);
  const network = createNetwork({ internal: receiversInside(config) });
  const context: Context = {
    url,
    gateway,
    live,
    stream: createStreams(),
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
    sayMissing,
    now: Date.now,
    linksOf,
    codecs: payloadCodecs(config.temporal.encryption),
    uiOrigins: uiOriginsOf(web),
  };
  const app = createApp(context, config, limits, log);
  // What a request expects beyond an answer is not for us to refuse.
  server.removeAllListeners('request');
  server.on('request', app).on('checkExpectation', app).on('clientError', refuseUnreadable);
  const registering = new AbortController();
  const prepare = () => prepareNamespace(client, config, log, registering.signal);
  persist('Temporal', prepare, log, registering.signal).catch((error: Error) => {
    if (!registering.signal.aborted) log.error(error.message);
  });
  // It only reads.
  sayUnusable(log, 'PARLEY_STORAGE', storage?.tryOut('read'), registering.signal);
  const stop = async () => {
    registering.abort();
    await live.stop();
    await close(server);
    await limits.stop();
    await network.close();
    await gateway.close();
    storage?.close();
  };
  return { url, live, stop, done: new Promise((resolve) => server.once('close', resolve)) };
}

/** Requests under way get a moment to finish. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const impatient = setTimeout(() => server.closeAllConnections(), 1_500);
  await closed;
  clearTimeout(impatient);
}

function agentsOf(config: Config, tools: Tool[]) {
  try {
    return readAgents(config.agents, tools);
  } catch (error) {
    throw error instanceof AgentFault ? new ConfigError(error.message) : error;
  }
}

if (require.main === module) {
  void runEntry(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    const api = await startApi(config, log);
    cleanup.push(api.stop);
    log.info({ url: api.url }, 'API is listening');
    return api;
  });
}
