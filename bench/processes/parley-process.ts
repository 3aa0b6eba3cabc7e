import { startApi } from '#api/main';
import { readConfig } from '#channels/read-config';
import { createLog } from '#infra/log';
import { workerTuning } from '#worker/options';
import { startWorker } from '#worker/start-worker';
import { installTemporalRuntime } from '#worker/temporal-runtime';
import { runBenchProcess } from './child-process';

/** Runs worker and API in one process, as `npm start` does, or one of the two, as in production. */
void runBenchProcess(async ({ address, callbackUrl, dataDir, agents, maxCachedWorkflows, role, ...settings }) => {
  const log = createLog('warn');
  installTemporalRuntime(log);
  Object.assign(workerTuning, settings.tuning);
  const config = readConfig({
    PORT: '0',
    TEMPORAL_ADDRESS: address,
    ANTHROPIC_BASE_URL: callbackUrl,
    PARLEY_DATA: dataDir,
    PARLEY_AGENTS: agents,
    // A single program plays all users.
    PARLEY_RATE_LIMIT: '100000',
    ...settings.environment,
  });
  const worker = role === 'api' ? undefined : await startWorker(config, log, { maxCachedWorkflows });
  const api = role === 'worker' ? undefined : await startApi(config, log);
  return { url: api?.url ?? '', stop: () => Promise.all([api?.stop(), worker?.stop()]) };
});
