import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { AgentFault, readAgents } from '../agents/read-agents';
import { receiversInside } from '../channels/webhook/receivers';
import { type Config, ConfigError, readConfig } from '../config';
import { keptSecret } from '../kept-secret';
import { createLog, type Log } from '../log';
import { createNetwork } from '../network/guarded';
import { persist, runEntry } from '../process';
import { projectFolder } from '../project';
import { lazyClient } from '../temporal/connect';
import { prepareNamespace } from '../temporal/namespace';
import { builtIn } from '../tools/registry';
import type { Tool } from '../tools/tool';
import { toolsOf } from '../tools/toolbox';
import { TASK_QUEUE } from '../workflows/messages';
import { createApp } from './app';
import { callerNamed } from './caller';
import type { Context } from './context';
import { refuseUnreadable } from './errors';
import { createGateway } from './gateway';
import { readHookSecrets } from './hook-secrets';
import { createLimits } from './limits';
import { createLive, type Live } from './live/live';
import { createStreams } from './streams';

export interface RunningApi {
  url: string;
  live: Live;
  stop(): Promise<void>;
  done: Promise<void>;
}

const PREFERRED_PORT = 3000;
/** A slow sender is cut off; a stream that is being read is not. Longer than a proxy keeps a connection, so that it is first to close. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };
const DEFAULT_UI = 'http://127.0.0.1:8233';

export interface ApiSettings {
  taskQueue?: string;
  /** Those the workers have, which agents' files may name. */
  tools?: Tool[];
  /** The folder that the web app was built into. */
  webFolder?: string;
}

const WEB_FOLDER = path.join(projectFolder(), 'dist', 'web');

/** The HTTP API. It starts with Temporal down, and is ready when Temporal is. */
export async function startApi(
  config: Config,
  log: Log,
  { taskQueue = TASK_QUEUE, tools = builtIn, webFolder = WEB_FOLDER }: ApiSettings = {},
): Promise<RunningApi> {
  const agents = agentsOf(config, tools);
  const hookSecrets = readHookSecrets(agents, config.environment);
  const secret = keptSecret(config.secret, config.data);
  const client = lazyClient(config.temporal);
  const limits = await createLimits(config, log);
  const server = createServer(TIMEOUTS);
  const listening = await listen(server, config);
  const url = config.publicUrl ?? listening;
  const web = config.temporal.uiUrl ?? DEFAULT_UI;
  const gateway = createGateway(client, taskQueue);
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
    tools: (agent) => toolsOf(agent, tools).map((tool) => tool.name),
    hookSecrets,
    webFolder,
    secret,
    hasKeys: config.keys !== undefined,
    channels: config.channels,
    callerNamed: (name) => callerNamed(name, config.keys, config.channels.people),
    network,
    log,
    now: Date.now,
    linksOf,
  };
  const app = createApp(context, config, limits, log);
  // What a request expects beyond an answer is not for us to refuse.
  server.on('request', app).on('checkExpectation', app).on('clientError', refuseUnreadable);
  const registering = new AbortController();
  const prepare = () => prepareNamespace(client, config, log, registering.signal);
  persist('Temporal', prepare, log, registering.signal).catch((error: Error) => {
    if (!registering.signal.aborted) log.error(error.message);
  });
  const stop = async () => {
    registering.abort();
    await live.stop();
    await close(server);
    await limits.stop();
    await network.close();
    await gateway.close();
  };
  return { url, live, stop, done: new Promise((resolve) => server.once('close', resolve)) };
}

/** Port 3000 where nobody said otherwise; if it is taken, any. */
async function listen(server: Server, { host, port }: Config): Promise<string> {
  const attempt = (on: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(on, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(port ?? PREFERRED_PORT);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw new ConfigError(`HOST and PORT cannot be listened on: ${message}.`);
    if (port !== undefined) throw new ConfigError(`Port ${port} is taken. Set PORT to another one.`);
    await attempt(0);
  }
  const { port: taken } = server.address() as AddressInfo;
  return `http://${reachable(host)}:${taken}`;
}

/** An address that stands for all of them cannot be called; this machine can by its own. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
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
