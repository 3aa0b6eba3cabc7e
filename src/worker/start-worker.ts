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
import { createMetrics, createTelemetry, type Metrics, type Telemetry } from '#telemetry/telemetry';
import type { Tool } from '#tools/tool';
import { TASK_QUEUE } from '#workflows/messages';
import { type WorkflowDeadlockError, withDeadlockDetector } from './deadlock-detector/detector';
import { withDeliveryQueue } from './delivery-queue';
import { createWorkerDeps } from './dependencies';
import { watchDeployment } from './deployment-watch';
import { startWorkerHealthServer, type WorkerHealthSource } from './health-server';
import { createWorkerOptions } from './options';
import { stopWhenIdle } from './stop-when-idle';
import { installTemporalRuntime } from './temporal-runtime';

/**
 * Creates the telemetry of a process with a worker, once, before the worker starts. Separate from `createTelemetry`, as
 * an API does not load Temporal's core. `collectSdkMetrics`: whether the SDK's metrics are served.
 */
export async function createWorkerTelemetry(
  config: Config,
  log: Log,
  cleanup: ShutdownHooks,
  { collectSdkMetrics }: { collectSdkMetrics: boolean },
): Promise<Telemetry> {
  const sdkMetrics = collectSdkMetrics ? await createTemporalSdkMetrics() : undefined;
  const telemetry = createTelemetry(config, log, cleanup, sdkMetrics);
  installTemporalRuntime(log, {
    exporter: sdkMetrics?.exporter,
    countMissingKey: telemetry.metrics.countMissingKey,
  });
  return telemetry;
}

export type RunningWorker = Awaited<ReturnType<typeof startWorker>>;

export interface WorkerSettings {
  taskQueue?: string;
  tools?: Tool[];
  /** All channels. `config` has their settings. */
  channels?: readonly Channel[];
  maxCachedWorkflows?: number;
  /** How many model calls and tools may run at once. */
  activitySlots?: number;
  /** Stops after being idle for PARLEY_IDLE, where a worker is started on demand. */
  untilIdle?: boolean;
  /** A bundle of another build. */
  workflowBundle?: { codePath: string };
  /** Shared with the API in the same process. */
  metrics?: Metrics;
  tracing?: Tracing;
}

/** Starts a worker, which runs conversations, model calls and tools. Any number of workers may run. */
export async function startWorker(config: Config, log: Log, settings: WorkerSettings = {}) {
  const dist = path.join(findPackageRoot(), 'dist');
  const bundlePromise = settings.workflowBundle ?? buildWorkflowBundle(dist, config.temporal.encryption);
  logEncryptionStatus(log, config.temporal.encryption);
  const { metrics = createMetrics(config), tracing } = settings;
  const client = createTemporalClient(config.temporal, { grpcInterceptor: metrics.grpc });
  const { taskQueue = TASK_QUEUE, tools, maxCachedWorkflows, activitySlots } = settings;
  const readQueue = () => readTaskQueue(client, taskQueue);
  let worker: Worker | undefined;
  const isPolling = () => worker?.getState() === 'RUNNING';
  const checkTemporal = () => client.withDeadline(Date.now() + HEALTH_PROBE_TIMEOUT_MS, readQueue);
  const healthServer = await openHealthServer(config, { metrics, isPolling, checkTemporal });
  const connection = await retryUntilReady('Temporal', () => connectTemporalWorker(config.temporal), log);
  await retryUntilReady('Temporal', () => prepareNamespace(client, config, log), log);
  const deps = await createWorkerDeps(config, log, settings.channels, { metrics, tracing });
  const optionDeps = { client, activityDeps: deps.activityDeps, bundle: await bundlePromise, tools, metrics, tracing };
  const defaults = createWorkerOptions(config, optionDeps);
  const deliveryQueue = withDeliveryQueue();
  const options = {
    ...defaults,
    taskQueue,
    maxCachedWorkflows: maxCachedWorkflows ?? defaults.maxCachedWorkflows,
    maxConcurrentActivityTaskExecutions: activitySlots ?? defaults.maxConcurrentActivityTaskExecutions,
    plugins: [...(settings.untilIdle ? [stopWhenIdle(config.idleMs, deliveryQueue.isBusy)] : []), deliveryQueue],
  };
  const detected = await withDeadlockDetector(
    () => Worker.create({ ...options, connection, ...createDeploymentOptions(config.build) }),
    { detector: config.deadlockDetector, log },
  );
  worker = detected.worker;
  detected.deadlocked.catch(({ message, workflowId }: WorkflowDeadlockError) =>
    log.fatal({ conversation: extractConversationId(workflowId) }, message),
  );
  const deploymentWatch = watchDeployment(readQueue, config.build, log);
  const running = worker.run().finally(async () => {
    detected.stopDetector();
    deploymentWatch.stop();
    await healthServer?.close();
    await Promise.all([deps.close(), client.connection.close(), connection.close()]);
  });
  // Resolves when the worker ends; rejects if it failed. After a deadlock nothing is closed: a regular shutdown would be
  // reported for what the other workflows have in progress.
  const done = Promise.race([running, detected.deadlocked]);
  const stop = async () => {
    if (isPolling()) worker?.shutdown();
    await done.catch(() => undefined);
  };
  return { model: deps.model, url: healthServer?.url, stop, done };
}

const HEALTH_PROBE_TIMEOUT_MS = 2_000;

async function openHealthServer({ host, workerPort: port, apiKeys }: Config, source: WorkerHealthSource) {
  if (port === undefined) return undefined;
  return startWorkerHealthServer({ host, port, keys: apiKeys }, source).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Can't use PARLEY_WORKER_PORT: ${error.message}`);
  });
}
