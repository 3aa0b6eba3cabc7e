import { readConfig } from '#channels/read-config';
import { startApi } from './api/main';
import { type HttpServer, listenForHttp } from './api/server';
import { cleanUpStorageFolder } from './archive/delete-orphans';
import { type Config, ConfigError } from './infra/config';
import { runUntilSignal, type ShutdownHooks } from './infra/lifecycle';
import { createLog } from './infra/log';
import { isLoopbackHost } from './infra/loopback';
import { resolveDefaultStorage } from './infra/storage/open-storage';
import { startLocalServer } from './infra/temporal/dev-server/data-folder-server';
import { findTemporalCli } from './infra/temporal/toolchain';
import { createWorkerTelemetry, startWorker } from './worker/start-worker';

/** `npm start`: a Temporal server unless one is given, a worker and the API, as one process tree. */
async function startParleyProcess(cleanup: ShutdownHooks): Promise<{ done: Promise<unknown> }> {
  const envConfig = withoutBuild(readConfig());
  const defaultStorage = resolveDefaultStorage(envConfig);
  // A person waits at a terminal, so nothing is drained.
  const baseConfig: Config = { ...envConfig, storage: envConfig.storage ?? defaultStorage, drainMs: undefined };
  const log = createLog(baseConfig.logLevel ?? 'warn');
  const telemetry = await createWorkerTelemetry(baseConfig, log, cleanup, { collectSdkMetrics: true });
  // The port comes first: the Temporal UI needs the URL that decodes payloads.
  const httpServer = await listenForHttp(baseConfig);
  const { config, temporalExited } = baseConfig.temporal.address
    ? { config: baseConfig, temporalExited: neverSettles }
    : await withLocalTemporalServer(baseConfig, httpServer, cleanup);
  const worker = await startWorker(config, log, telemetry);
  cleanup.push(worker.stop);
  const api = await startApi(config, log, { httpServer, ...telemetry });
  cleanup.push(api.stop);
  if (defaultStorage && !baseConfig.temporal.address) void cleanUpStorageFolder(defaultStorage.path, config, log);
  console.log(formatBanner(config, worker.model, api.url));
  cleanup.push(async () => console.log('\nStopping. Parked conversations are saved.'));
  return { done: Promise.race([worker.done, api.done, temporalExited]) };
}

async function startTemporalServer(
  { dataFolder, publicUrl, host, temporal: { namespace, retentionMs } }: Config,
  httpServer: HttpServer,
) {
  // The UI can be used from another machine only if the API can be reached from there.
  const url = isLoopbackHost(host) ? httpServer.url : (publicUrl ?? httpServer.url);
  const serverOptions = {
    cli: findTemporalCli(),
    dataDir: dataFolder,
    namespace,
    retentionMs,
    codecUrl: `${url}/codec`,
  };
  return startLocalServer({ ...serverOptions, log: console.log });
}

/** A local server has only one build, which needs no promotion. */
function withoutBuild(config: Config): Config {
  return config.temporal.address ? config : { ...config, build: undefined };
}

const neverSettles = new Promise<never>(() => undefined);

async function withLocalTemporalServer(
  config: Config,
  httpServer: HttpServer,
  cleanup: ShutdownHooks,
): Promise<{ config: Config; temporalExited: Promise<never> }> {
  const { address, uiUrl, stop, exited } = await startTemporalServer(config, httpServer).catch((error: Error) => {
    const isFile = 'syscall' in error;
    throw new ConfigError(isFile ? `Can't use PARLEY_DATA: ${error.message}` : error.message);
  });
  cleanup.push(stop);
  const temporalExited = exited.then(() => {
    throw new ConfigError(`The Temporal server stopped: see ${config.dataFolder}/temporal.log. Restart Parley.`);
  });
  temporalExited.catch(() => undefined);
  const temporal = { ...config.temporal, address, uiUrl: config.temporal.uiUrl ?? uiUrl };
  return { config: { ...config, temporal }, temporalExited };
}

function formatBanner(config: Config, model: string, url: string): string {
  const { uiUrl, namespace, address, encryption } = config.temporal;
  const authHeader = config.apiKeys ? ' -H "authorization: Bearer $PARLEY_API_KEY"' : '';
  const encryptionLine = encryption ? `\n    Encryption   on, with the key ${encryption[0].id}` : '';
  // The CLI finds the default port by itself.
  const cliPrefix = new URL(url).port === '3000' ? '' : `PARLEY_URL=${url} `;
  return `
  Parley is running.

    Web app      ${url}/
    API          ${url}
    API docs     ${url}/docs
    Temporal UI  ${uiUrl ? `${uiUrl}/namespaces/${namespace}/workflows` : `see the server at ${address}`}
    Model        ${model}
    Data         ${config.dataFolder}${encryptionLine}

  Try it: open the web app in a browser, or run
    curl -s ${url}/v1/conversations${authHeader} -H 'content-type: application/json' -d '{"message": "Plan our team offsite"}'
    curl -s ${url}/v1/questions${authHeader}
    ${cliPrefix}npx parley inbox

  Press Ctrl-C to stop. Parked conversations are saved and continue on the next start.
`;
}

void runUntilSignal(startParleyProcess);
