import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities/activities';
import { transcriptReader } from '../activities/read-transcript';
import type { Config } from '../config';
import { dataConverter } from '../temporal/converter';
import { builtIn, withStorage } from '../tools/registry';
import type { Tool } from '../tools/tool';
import { TASK_QUEUE } from '../workflows/messages';
import type { Effects } from './effects';

/** Every worker of Parley has these, wherever it runs; the benchmark gives the bare workflow the same. */
export const tuning = {
  // A killed worker's conversations wait this long for it before another takes them up.
  stickyQueueScheduleToStartTimeout: '1s',
  // Text as it is written travels as heartbeats: the SDK would hold them back for seconds.
  maxHeartbeatThrottleInterval: '250ms',
  defaultHeartbeatThrottleInterval: '250ms',
  // Node cannot stop a workflow in the middle without the whole process going down (nodejs/node#38503), and after 5 s, its
  // default, the SDK would: thousands of signals in one task on a crowded machine take that long.
  isolateExecutionTimeout: '1m',
  shutdownGraceTime: '1s',
  shutdownForceTime: '4s',
} as const;

/** What is under way when it is told to stop may finish: a call of the model that is broken off is paid for twice. */
function leaving(drainMs: number | undefined) {
  if (drainMs === undefined) return {};
  return {
    shutdownGraceTime: Math.max(1_000, drainMs - 2_500),
    shutdownForceTime: Math.max(4_000, drainMs - 1_000),
  };
}

export interface Parts {
  client: Client;
  effects: Effects['forActivities'];
  bundle: { codePath: string };
  tools?: Tool[];
}

/** What a worker runs and how, without the connection it runs by. */
export function workerOptions(config: Config, { client, effects, bundle, tools = builtIn }: Parts) {
  const { sinks, read: readTranscript } = transcriptReader(client);
  return {
    namespace: config.temporal.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: bundle,
    dataConverter: dataConverter(config.temporal.encryption),
    activities: createActivities({
      ...effects,
      tools: withStorage(tools, effects.storage !== undefined),
      readTranscript,
      client,
    }),
    sinks,
    maxCachedWorkflows: 500,
    ...tuning,
    ...leaving(config.drainMs),
  } satisfies WorkerOptions;
}
