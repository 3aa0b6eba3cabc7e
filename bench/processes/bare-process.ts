import { NativeConnection, Worker } from '@temporalio/worker';
import { createLog } from '#infra/log';
import { workerTuning } from '#worker/options';
import { installTemporalRuntime } from '#worker/temporal-runtime';
import { BARE_TASK_QUEUE } from '../subjects';
import type { BareActivities } from './bare-workflow';
import { runBenchProcess } from './child-process';

/** Runs a worker for the bare workflow, with the options of Parley's own. */
void runBenchProcess(async ({ address, callbackUrl, maxCachedWorkflows, tuning }) => {
  installTemporalRuntime(createLog('warn'));
  const connection = await NativeConnection.connect({ address });
  const activities: BareActivities = {
    async call(id, call) {
      const response = await fetch(`${callbackUrl}/${id}/${call}`, { method: 'POST' });
      await response.arrayBuffer();
    },
  };
  const worker = await Worker.create({
    connection,
    taskQueue: BARE_TASK_QUEUE,
    workflowsPath: require.resolve('./bare-workflow'),
    activities,
    maxCachedWorkflows,
    ...workerTuning,
    ...tuning,
  });
  const done = worker.run();
  const stop = async () => {
    worker.shutdown();
    await done;
    await connection.close();
  };
  return { url: '', stop };
});
