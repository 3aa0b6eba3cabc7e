import type { Client } from '@temporalio/client';
import type { InjectedSinks, WorkerOptions } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createActivities } from '#activities/activities';
import { transcriptReader } from '#activities/read-transcript';
import { agentsHere } from '#agents/read-agents';
import type { Config } from '#config';
import { conversationIn } from '#contract/conversation';
import { keptSecret } from '#kept-secret';
import type { Metrics } from '#metrics/metrics';
import { vouching } from '#signing/pinned';
import { dataConverter } from '#temporal/converter';
import { builtIn, withStorage } from '#tools/registry';
import type { Tool } from '#tools/tool';
import { activityTracing } from '#tracing/temporal';
import type { Tracing } from '#tracing/tracing';
import { TASK_QUEUE } from '#workflows/messages';
import type { Counting, Fact } from '#workflows/tally';
import type { Taken, Traces } from '#workflows/tracing';
import type { Effects } from './effects';

/** Every worker of Parley has these, wherever it runs; the benchmark gives the bare workflow the same. */
export const tuning = {
  // A killed worker's conversations wait this long for it before another takes them up.
  stickyQueueScheduleToStartTimeout: '1s',
  // Text as it is written travels as heartbeats: the SDK would hold them back for seconds.
  maxHeartbeatThrottleInterval: '250ms',
  defaultHeartbeatThrottleInterval: '250ms',
  // Where nobody else watches (`watch/watch.ts`): Node cannot stop a workflow in the middle without the whole process going down
  // (nodejs/node#38503), and after 5 s, its default, the SDK would: thousands of signals in one task may take that long.
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
  metrics?: Metrics;
  tracing?: Tracing;
}

/** What a worker runs and how, without the connection it runs by. */
export function workerOptions(
  config: Config,
  { client, effects, bundle, tools = builtIn, metrics, tracing }: Parts,
) {
  const { sinks, read: readTranscript } = transcriptReader(client);
  const there = withStorage(tools, effects.storage !== undefined);
  return {
    namespace: config.temporal.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: bundle,
    dataConverter: dataConverter(config.temporal.encryption),
    activities: createActivities({
      ...effects,
      tools: there,
      vouches: vouching(keptSecret(config.secret, config.data), agentsHere(config.agents, there)),
      readTranscript,
      client,
    }),
    sinks: { ...sinks, ...onlookers(metrics, tracing) },
    interceptors: {
      activity: [...(tracing ? [activityTracing(tracing)] : []), ...(metrics ? [metrics.activities] : [])],
    },
    maxCachedWorkflows: 500,
    ...tuning,
    ...leaving(config.drainMs),
  } satisfies WorkerOptions;
}

/** There also where nobody looks on: workflows speak to them all the same. */
function onlookers(metrics?: Metrics, tracing?: Tracing): InjectedSinks<Counting & Traces> {
  const count = (_info: WorkflowInfo, fact: Fact) => metrics?.count(fact);
  const took = ({ workflowId }: WorkflowInfo, { name, parent, traceparent, at }: Taken) =>
    tracing?.record({
      name: `conversation ${name}`,
      parent,
      traceparent,
      startedAt: at,
      endedAt: Math.max(at, Date.now()),
      attributes: { 'parley.conversation': conversationIn(workflowId) },
    });
  return {
    tally: { count: { fn: count, callDuringReplay: false } },
    traces: { took: { fn: took, callDuringReplay: false } },
  };
}
