import { startApi } from '../src/api/main';
import { readConfig } from '../src/config';
import { createLog, installRuntime } from '../src/log';
import { startWorker } from '../worker';
import { serve } from './child';

/** Worker and API in one process, as `npm start` has them. */
void serve(async ({ address, worldUrl, dataDir, agents, maxCachedWorkflows }) => {
  const log = createLog('warn');
  installRuntime(log);
  const config = readConfig({
    PORT: '0',
    TEMPORAL_ADDRESS: address,
    ANTHROPIC_BASE_URL: worldUrl,
    PARLEY_DATA: dataDir,
    PARLEY_AGENTS: agents,
  });
  const worker = await startWorker(config, log, { maxCachedWorkflows });
  const api = await startApi(config, log);
  return { url: api.url, stop: () => Promise.all([api.stop(), worker.stop()]) };
});
