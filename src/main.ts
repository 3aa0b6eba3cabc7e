import { startWorker } from '../worker';
import { type Door, openDoor } from './api/door';
import { startApi } from './api/main';
import { type Config, ConfigError, isLoopback, readConfig } from './config';
import { createLog, type Log } from './log';
import { type Cleanup, runEntry } from './process';
import { ownFolder } from './storage/own-folder';
import { sweepFolder } from './storage/sweep';
import { lazyClient } from './temporal/connect';
import { isGone } from './temporal/gone';
import { startLocalServer } from './temporal/local-server';
import { temporalCli } from './temporal/toolchain';
import { openWorkerOnlookers } from './worker/onlookers';

/** `npm start`: a Temporal server unless one is given, a worker and the API, as one process tree. */
async function start(cleanup: Cleanup): Promise<{ done: Promise<unknown> }> {
  const read = alone(readConfig());
  const own = ownFolder(read);
  // Somebody waits at a terminal: nothing is drained.
  const given: Config = { ...read, storage: read.storage ?? own, drainMs: undefined };
  const log = createLog(given.logLevel ?? 'warn');
  const onlookers = openWorkerOnlookers(given, log, cleanup, { isCounted: true });
  // The port first: the Temporal UI is told where payloads are decoded.
  const door = await openDoor(given);
  const { config, gone } = given.temporal.address
    ? { config: given, gone: never }
    : await withLocalServer(given, door, cleanup);
  const worker = await startWorker(config, log, onlookers);
  cleanup.push(worker.stop);
  const api = await startApi(config, log, { door, ...onlookers });
  cleanup.push(api.stop);
  if (own && !given.temporal.address) void sweep(own.path, config, log);
  console.log(banner(config, worker.model, api.url));
  cleanup.push(async () => console.log('\nStopping. Parked conversations are kept.'));
  return { done: Promise.race([worker.done, api.done, gone]) };
}

async function startServer(
  { data, publicUrl, host, temporal: { namespace, retentionMs } }: Config,
  door: Door,
) {
  // People may look at its UI from elsewhere only if they can come here from there.
  const url = isLoopback(host) ? door.url : (publicUrl ?? door.url);
  const about = { cli: temporalCli(), dataDir: data, namespace, retentionMs, codecUrl: `${url}/codec` };
  return startLocalServer({ ...about, log: console.log });
}

/** On a server of its own there is one build only, and nobody to promote it. */
function alone(config: Config): Config {
  return config.temporal.address ? config : { ...config, build: undefined };
}

/** Only of the server whose data lie beside the folder: another one knows nothing of these conversations. */
async function sweep(folder: string, { temporal }: Config, log: Log): Promise<void> {
  const client = lazyClient(temporal);
  try {
    const removed = await sweepFolder(folder, (id) => isGone(client, id));
    if (removed > 0) log.info({ removed }, 'removed what was kept of conversations that are no more');
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'the storage could not be swept');
  } finally {
    await client.connection.close();
  }
}

const never = new Promise<never>(() => undefined);

async function withLocalServer(
  config: Config,
  door: Door,
  cleanup: Cleanup,
): Promise<{ config: Config; gone: Promise<never> }> {
  const { address, uiUrl, stop, exited } = await startServer(config, door).catch((error: Error) => {
    const isFile = 'syscall' in error;
    throw new ConfigError(isFile ? `PARLEY_DATA cannot be used: ${error.message}` : error.message);
  });
  cleanup.push(stop);
  const gone = exited.then(() => {
    throw new ConfigError(
      `The Temporal server has stopped: see ${config.data}/temporal.log. Start Parley again.`,
    );
  });
  gone.catch(() => undefined);
  const temporal = { ...config.temporal, address, uiUrl: config.temporal.uiUrl ?? uiUrl };
  return { config: { ...config, temporal }, gone };
}

function banner(config: Config, model: string, url: string): string {
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

void runEntry(start);
