import { NativeConnection, Worker } from '@temporalio/worker';
import { createLog, installRuntime } from '#log';
import { tuning } from '#worker/options';
import type { BareActivities } from './bare-workflow';
import { serve } from './child';
import { BARE_QUEUE } from './sides';

/** A worker for the bare workflow, with the options of Parley's own. */
void serve(async ({ address, worldUrl, maxCachedWorkflows, tuning: tried }) => {
  installRuntime(createLog('warn'));
  const connection = await NativeConnection.connect({ address });
  const activities: BareActivities = {
    async call(id, call) {
      const response = await fetch(`${worldUrl}/${id}/${call}`, { method: 'POST' });
      await response.arrayBuffer();
    },
  };
  const worker = await Worker.create({
    connection,
    taskQueue: BARE_QUEUE,
    workflowsPath: require.resolve('./bare-workflow'),
    activities,
    maxCachedWorkflows,
    ...tuning,
    ...tried,
  });
  const done = worker.run();
  const stop = async () => {
    worker.shutdown();
    await done;
    await connection.close();
  };
  return { url: '', stop };
});
