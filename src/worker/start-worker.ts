import path from 'node:path';
import { Worker } from '@temporalio/worker';
import type { Channel } from '#channels/channel';
import { extractConversationId } from '#contract/conversation';
import { type Config, ConfigError } from '#infra/config';
import { retryUntilReady, type ShutdownHooks } from '#infra/lifecycle';
import { type Log, logEncryptionStatus } from '#infra/log';
import { findPackageRoot } from '#infra/package-info';
import { createTemporalSdkMetrics } from '#infra/telemetry/temporal-sdk-metrics';
import type { Tracing } from '#infra/telemetry/tracing';
import { connectTemporalWorker, createTemporalClient } from '#infra/temporal/client';
import { prepareNamespace } from '#infra/temporal/prepare-namespace';
import { createDeploymentOptions, readTaskQueue } from '#infra/temporal/task-queue';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';
import { createMetricsFromConfig, createTelemetry, type Metrics, type Telemetry } from '#telemetry/telemetry';
import type { Tool } from '#tools/tool';
import { TASK_QUEUE } from '#workflows/messages';
import { type WorkflowDeadlockError, withDeadlockDetection } from './deadlock-detector/detector';
import { createWorkerDeps } from './dependencies';
import { watchDeployment } from './deployment-watch';
import { startWorkerHealthServer, type WorkerHealthSource } from './health-server';
import { createWorkerOptions } from './options';
import { stopWhenIdle } from './stop-when-idle';
import { installTemporalRuntime } from './temporal-runtime';

/**
 * For a process with a worker in it, once and before it starts. Apart from the others, as an API need not have anything of
 * Temporal's core. `isCounted`: somebody will ask for what that counts.
 */
export function createWorkerTelemetry(
  config: Config,
  log: Log,
  cleanup: ShutdownHooks,
  { isCounted }: { isCounted: boolean },
): Telemetry {
  const core = isCounted ? createTemporalSdkMetrics() : undefined;
  const onlookers = createTelemetry(config, log, cleanup, core);
  installTemporalRuntime(log, { buffer: core?.buffer, countMissing: onlookers.metrics.keyMissing });
  return onlookers;
}

export interface RunningWorker {
  /** What it calls the model by, for people to read. */
  model: string;
  /** Where it tells how it is, if anywhere. */
  url: string | undefined;
  stop(): Promise<void>;
  /** Ends when the worker does; rejects if it broke. */
  done: Promise<void>;
}

export interface WorkerSettings {
  taskQueue?: string;
  tools?: Tool[];
  channels?: Channel[];
  maxCachedWorkflows?: number;
  /** Ends when there has been nothing to do for PARLEY_IDLE: somebody starts it again. */
  untilIdle?: boolean;
  /** Of another build than this one. */
  workflowBundle?: { codePath: string };
  /** Shared with the API in the same process. */
  metrics?: Metrics;
  tracing?: Tracing;
}

/** A worker: it takes conversations up, calls the model and runs tools. Any number may run; none has to. */
export async function startWorker(config: Config, log: Log, settings: WorkerSettings = {}): Promise<RunningWorker> {
  const dist = path.join(findPackageRoot(), 'dist');
  const bundling = settings.workflowBundle ?? buildWorkflowBundle(dist, config.temporal.encryption);
  logEncryptionStatus(log, config.temporal.encryption);
  const { metrics = createMetricsFromConfig(config), tracing } = settings;
  const client = createTemporalClient(config.temporal, { grpc: metrics.grpc });
  const { taskQueue = TASK_QUEUE, tools, maxCachedWorkflows } = settings;
  const look = () => readTaskQueue(client, taskQueue);
  let worker: Worker | undefined;
  const isPolling = () => worker?.getState() === 'RUNNING';
  const reach = () => client.withDeadline(Date.now() + HEALTH_PROBE_TIMEOUT_MS, look);
  const port = await openHealthServer(config, { metrics, isPolling, reach });
  const connection = await retryUntilReady('Temporal', () => connectTemporalWorker(config.temporal), log);
  await retryUntilReady('Temporal', () => prepareNamespace(client, config, log), log);
  const effects = await createWorkerDeps(config, log, settings.channels, { metrics, tracing });
  const parts = { client, effects: effects.forActivities, bundle: await bundling, tools, metrics, tracing };
  const usual = createWorkerOptions(config, parts);
  const options = {
    ...usual,
    taskQueue,
    maxCachedWorkflows: maxCachedWorkflows ?? usual.maxCachedWorkflows,
    plugins: settings.untilIdle ? [stopWhenIdle(config.idleMs)] : [],
  };
  const { made, watch } = await withDeadlockDetection(() =>
    Worker.create({ ...options, connection, ...createDeploymentOptions(config.build) }),
  );
  worker = made;
  watch.endless.catch(({ message, workflowId }: WorkflowDeadlockError) =>
    log.fatal({ conversation: extractConversationId(workflowId) }, message),
  );
  const standing = watchDeployment(look, config.build, log);
  const ran = worker.run().finally(async () => {
    watch.stop();
    standing.stop();
    await port?.close();
    await Promise.all([effects.close(), client.connection.close(), connection.close()]);
  });
  // Then nothing is closed: what the others have under way is not to be told that the worker stops in good order.
  const done = Promise.race([ran, watch.endless]);
  const stop = async () => {
    if (isPolling()) worker?.shutdown();
    await done.catch(() => undefined);
  };
  return { model: effects.model, url: port?.url, stop, done };
}

const HEALTH_PROBE_TIMEOUT_MS = 2_000;

async function openHealthServer({ host, workerPort: port, keys }: Config, watched: WorkerHealthSource) {
  if (port === undefined) return undefined;
  return startWorkerHealthServer({ host, port, keys }, watched).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`PARLEY_WORKER_PORT cannot be used: ${error.message}`);
  });
}
