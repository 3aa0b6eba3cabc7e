import { startApi } from './api/main';
import { type HttpServer, listenForHttp } from './api/server';
import { cleanUpStorageFolder } from './archive/delete-orphans';
import { type Config, ConfigError, isLoopbackHost, readConfig } from './infra/config';
import { runUntilSignal, type ShutdownHooks } from './infra/lifecycle';
import { createLog } from './infra/log';
import { resolveDefaultStorage } from './infra/storage/open-storage';
import { startLocalServer } from './infra/temporal/dev-server/local-server';
import { findTemporalCli } from './infra/temporal/toolchain';
import { createWorkerTelemetry, startWorker } from './worker/start-worker';

/** `npm start`: a Temporal server unless one is given, a worker and the API, as one process tree. */
async function startParleyProcess(cleanup: ShutdownHooks): Promise<{ done: Promise<unknown> }> {
  const read = withoutBuild(readConfig());
  const own = resolveDefaultStorage(read);
  // Somebody waits at a terminal: nothing is drained.
  const given: Config = { ...read, storage: read.storage ?? own, drainMs: undefined };
  const log = createLog(given.logLevel ?? 'warn');
  const onlookers = createWorkerTelemetry(given, log, cleanup, { isCounted: true });
  // The port first: the Temporal UI is told where payloads are decoded.
  const door = await listenForHttp(given);
  const { config, gone } = given.temporal.address
    ? { config: given, gone: neverSettles }
    : await withLocalTemporalServer(given, door, cleanup);
  const worker = await startWorker(config, log, onlookers);
  cleanup.push(worker.stop);
  const api = await startApi(config, log, { door, ...onlookers });
  cleanup.push(api.stop);
  if (own && !given.temporal.address) void cleanUpStorageFolder(own.path, config, log);
  console.log(formatBanner(config, worker.model, api.url));
  cleanup.push(async () => console.log('\nStopping. Parked conversations are kept.'));
  return { done: Promise.race([worker.done, api.done, gone]) };
}

async function startTemporalServer(
  { data, publicUrl, host, temporal: { namespace, retentionMs } }: Config,
  door: HttpServer,
) {
  // People may look at its UI from elsewhere only if they can come here from there.
  const url = isLoopbackHost(host) ? door.url : (publicUrl ?? door.url);
  const about = { cli: findTemporalCli(), dataDir: data, namespace, retentionMs, codecUrl: `${url}/codec` };
  return startLocalServer({ ...about, log: console.log });
}

/** On a server of its own there is one build only, and nobody to promote it. */
function withoutBuild(config: Config): Config {
  return config.temporal.address ? config : { ...config, build: undefined };
}

const neverSettles = new Promise<never>(() => undefined);

async function withLocalTemporalServer(
  config: Config,
  door: HttpServer,
  cleanup: ShutdownHooks,
): Promise<{ config: Config; gone: Promise<never> }> {
  const { address, uiUrl, stop, exited } = await startTemporalServer(config, door).catch((error: Error) => {
    const isFile = 'syscall' in error;
    throw new ConfigError(isFile ? `PARLEY_DATA cannot be used: ${error.message}` : error.message);
  });
  cleanup.push(stop);
  const gone = exited.then(() => {
    throw new ConfigError(`The Temporal server has stopped: see ${config.data}/temporal.log. Start Parley again.`);
  });
  gone.catch(() => undefined);
  const temporal = { ...config.temporal, address, uiUrl: config.temporal.uiUrl ?? uiUrl };
  return { config: { ...config, temporal }, gone };
}

function formatBanner(config: Config, model: string, url: string): string {
  const { uiUrl, namespace, address, encryption } = config.temporal;
  const key = config.keys ? " -H 'authorization: Bearer '$KEY" : '';
  const encrypted = encryption ? `\n    Encryption   on, with the key ${encryption[0].id}` : '';
  // It finds the usual port by itself.
  const terminal = new URL(url).port === '3000' ? '' : `PARLEY_URL=${url} `;
  return `
  Parley is running.

    Web app      ${url}/
    API          ${url}
    API docs     ${url}/docs
    Temporal UI  ${uiUrl ? `${uiUrl}/namespaces/${namespace}/workflows` : `of the server at ${address}`}
    Model        ${model}
    Data         ${config.data}${encrypted}

  Try it: open the web app in a browser, or
    curl -s ${url}/v1/conversations${key} -H 'content-type: application/json' -d '{"message": "Plan our team offsite"}'
    curl -s ${url}/v1/questions${key}
    ${terminal}npx parley inbox

  Ctrl-C stops everything; parked conversations are there on the next start.
`;
}

void runUntilSignal(startParleyProcess);
