import { readConfig } from '#channels/read-config';
import { runUntilSignal } from '#infra/lifecycle';
import { createLog } from '#infra/log';
import { startWorker } from '#worker/start-worker';
import { installTemporalRuntime } from '#worker/temporal-runtime';

/** Small, so that conversations are replayed often. */
const CACHED = 40;

/** Runs a worker as in production, with the workflow bundle of a given build. */
void runUntilSignal(async (cleanup) => {
  const config = readConfig();
  const log = createLog(config.logLevel);
  installTemporalRuntime(log);
  const worker = await startWorker(config, log, {
    workflowBundle: { codePath: process.env.CHAOS_BUNDLE ?? '' },
    maxCachedWorkflows: CACHED,
  });
  cleanup.push(worker.stop);
  log.info('worker is running');
  return worker;
});
