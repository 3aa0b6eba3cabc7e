import { readConfig } from '#infra/config';
import { runUntilSignal } from '#infra/lifecycle';
import { createLog } from '#infra/log';
import { startWorker } from '#worker/start-worker';
import { installTemporalRuntime } from '#worker/temporal-runtime';

/** Few, so that conversations are replayed from their history again and again. */
const CACHED = 40;

/** A worker as in production, with the workflows of the build it is told to be. */
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
