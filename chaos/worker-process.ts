import { readConfig } from '#config';
import { createLog, installRuntime } from '#log';
import { runEntry } from '#process';
import { startWorker } from '../worker';

/** Few, so that conversations are replayed from their history again and again. */
const CACHED = 40;

/** A worker as in production, with the workflows of the build it is told to be. */
void runEntry(async (cleanup) => {
  const config = readConfig();
  const log = createLog(config.logLevel);
  installRuntime(log);
  const worker = await startWorker(config, log, {
    workflowBundle: { codePath: process.env.CHAOS_BUNDLE ?? '' },
    maxCachedWorkflows: CACHED,
  });
  cleanup.push(worker.stop);
  log.info('worker is running');
  return worker;
});
