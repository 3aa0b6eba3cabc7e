import { readConfig } from './src/channels/read-config';
import { CHANNELS } from './src/channels/registry';
import { runUntilSignal } from './src/infra/lifecycle';
import { createLog } from './src/infra/log';
import { createWorkerTelemetry, startWorker } from './src/worker/start-worker';

const SEPARATE_SECRET_WARNING =
  'PARLEY_SECRET is not set: links in emails work only if the API uses the same PARLEY_DATA. Set it for both.';

if (require.main === module) {
  void runUntilSignal(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    const collectSdkMetrics = config.workerPort !== undefined;
    const telemetry = await createWorkerTelemetry(config, log, cleanup, { collectSdkMetrics });
    if (!config.secret && CHANNELS.some(({ name, setupVariables }) => setupVariables && config.channels.byName[name]))
      log.warn(SEPARATE_SECRET_WARNING);
    const untilIdle = process.argv.includes('--until-idle');
    const worker = await startWorker(config, log, { ...telemetry, untilIdle });
    cleanup.push(worker.stop);
    log.info({ model: worker.model, url: worker.url }, 'worker is running');
    return { ...worker, drainMs: config.drainMs };
  });
}
