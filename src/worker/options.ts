import type { Client } from '@temporalio/client';
import type { InjectedSinks, WorkerOptions } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createActivities } from '#activities/create-activities';
import { createTranscriptReader } from '#activities/query-workflow';
import { createGrantVerifier } from '#agents/grant-signature';
import { loadAgentsIfValid } from '#agents/load-agents';
import { extractConversationId } from '#contract/conversation';
import type { Config } from '#infra/config';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import type { Tracing } from '#infra/telemetry/tracing';
import { createDataConverter } from '#infra/temporal/codec/data-converter';
import type { Metrics } from '#telemetry/telemetry';
import { createActivityTracingInterceptor } from '#telemetry/temporal-tracing';
import { addStorageTools, builtInTools } from '#tools/registry';
import type { Tool } from '#tools/tool';
import { TASK_QUEUE } from '#workflows/messages';
import type { MetricEvent, MetricsSinks } from '#workflows/runtime/sinks';
import type { TaskSpan, TracingSinks } from '#workflows/runtime/tracing';
import { MAX_WORKFLOW_CALL_MS } from './deadlock-detector/detector';
import type { WorkerDeps } from './dependencies';

/** Settings of every worker. The benchmark uses the same for its baseline workflow. */
export const workerTuning = {
  // How long conversations of a killed worker wait for it before another worker runs them.
  stickyQueueScheduleToStartTimeout: '1s',
  // Partial text is sent as heartbeats, which the SDK would otherwise delay for seconds.
  maxHeartbeatThrottleInterval: '250ms',
  defaultHeartbeatThrottleInterval: '250ms',
  // The limit of the SDK's own detector. Its default, 5 s, is too short for thousands of signals in one task.
  isolateExecutionTimeout: MAX_WORKFLOW_CALL_MS,
  shutdownGraceTime: '1s',
  shutdownForceTime: '4s',
} as const;

/** Lets running activities finish at shutdown: an aborted model call is paid for twice. */
function shutdownTimes(drainMs: number | undefined) {
  if (drainMs === undefined) return {};
  return {
    shutdownGraceTime: Math.max(1_000, drainMs - 2_500),
    shutdownForceTime: Math.max(4_000, drainMs - 1_000),
  };
}

export interface WorkerOptionsDeps {
  client: Client;
  activityDeps: WorkerDeps['activityDeps'];
  bundle: { codePath: string };
  tools?: Tool[];
  metrics?: Metrics;
  tracing?: Tracing;
}

/** Returns the options of a worker, except for its connection. */
export function createWorkerOptions(
  config: Config,
  { client, activityDeps, bundle, tools = builtInTools, metrics, tracing }: WorkerOptionsDeps,
) {
  const { sinks, read: readTranscript } = createTranscriptReader(client);
  const availableTools = addStorageTools(tools, activityDeps.storage !== undefined);
  return {
    namespace: config.temporal.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: bundle,
    dataConverter: createDataConverter(config.temporal.encryption),
    activities: createActivities({
      ...activityDeps,
      tools: availableTools,
      verifyGrant: createGrantVerifier(
        loadOrCreateSecret(config.secret, config.dataFolder),
        loadAgentsIfValid(config.agentsFolder, availableTools),
      ),
      readTranscript,
      client,
    }),
    sinks: { ...sinks, ...createTelemetrySinks(metrics, tracing) },
    interceptors: {
      activity: [
        ...(tracing ? [createActivityTracingInterceptor(tracing)] : []),
        ...(metrics ? [metrics.activities] : []),
      ],
    },
    maxCachedWorkflows: 500,
    // They mostly wait for the model: its transcript is what each costs, up to a few MB.
    maxConcurrentActivityTaskExecutions: 300,
    ...workerTuning,
    ...shutdownTimes(config.drainMs),
  } satisfies WorkerOptions;
}

/** Creates the sinks. They exist even without telemetry, as workflows call them in any case. */
function createTelemetrySinks(metrics?: Metrics, tracing?: Tracing): InjectedSinks<MetricsSinks & TracingSinks> {
  const count = (_info: WorkflowInfo, event: MetricEvent) => metrics?.countEvent(event);
  const recordTask = ({ workflowId }: WorkflowInfo, { name, parent, traceparent, at }: TaskSpan) =>
    tracing?.record({
      name: `conversation ${name}`,
      parent,
      traceparent,
      startedAt: at,
      endedAt: Math.max(at, Date.now()),
      attributes: { 'parley.conversation': extractConversationId(workflowId) },
    });
  return {
    metrics: { record: { fn: count, callDuringReplay: false } },
    traces: { recordTask: { fn: recordTask, callDuringReplay: false } },
  };
}
