import path from 'node:path';
import { type LambdaHandler, runWorker } from '@temporalio/lambda-worker';
import { DefaultLogger } from '@temporalio/worker';
import type { Context } from 'aws-lambda';
import { createLog } from '#infra/log';
import { readPackageVersion } from '#infra/package-info';
import { createTracing } from '#infra/telemetry/tracing';
import { createTemporalClient, createWorkerConnectionOptions } from '#infra/temporal/client';
import { prepareNamespace } from '#infra/temporal/prepare-namespace';
import { withDeliveryQueue } from '#worker/delivery-queue';
import { createWorkerDeps } from '#worker/dependencies';
import { createWorkerOptions } from '#worker/options';
import { stopWhenIdle } from '#worker/stop-when-idle';
import { coreLoggingOptions, createTemporalLogHandler } from '#worker/temporal-runtime';
import { readLambdaConfig } from './lambda-config';

const config = readLambdaConfig({
  PARLEY_BUILD_ID: 'a worker on Lambda always belongs to a build of a deployment',
});
const log = createLog(config.logLevel);
const tracing = createTracing(config.tracing, readPackageVersion(), log);
/** Built together with the function: webpack takes seconds, and is not included. */
const BUNDLE_PATH = path.join(
  __dirname,
  config.temporal.encryption ? 'workflow-bundle-encrypted.js' : 'workflow-bundle.js',
);
/** Running work has five seconds to finish when the time is up; then the next invocation continues it. */
const SHUTDOWN_TIMES = { shutdownGraceTime: '5s', shutdownForceTime: '6s' } as const;
const SHUTDOWN_BUFFER_MS = 7_000;

let hasStoppedIdle = false;

async function prepareHandler(): Promise<LambdaHandler> {
  const { build, temporal, idleMs } = config;
  if (!build) throw new Error('unreachable: the settings are read');
  const client = createTemporalClient(temporal);
  await prepareNamespace(client, config, log);
  const workerDeps = await createWorkerDeps(config, log, undefined, { tracing });
  const optionDeps = { client, activityDeps: workerDeps.activityDeps, bundle: { codePath: BUNDLE_PATH }, tracing };
  const { namespace, ...options } = createWorkerOptions(config, optionDeps);
  const deliveryQueue = withDeliveryQueue();
  const idlePlugin = stopWhenIdle(idleMs, deliveryQueue.isBusy, () => {
    hasStoppedIdle = true;
  });
  return runWorker(build, (settings) => {
    settings.namespace = namespace;
    settings.connectionOptions = createWorkerConnectionOptions(temporal);
    settings.runtimeOptions.logger = new DefaultLogger('WARN', createTemporalLogHandler(log));
    settings.runtimeOptions.telemetryOptions = { logging: coreLoggingOptions };
    settings.shutdownDeadlineBufferMs = SHUTDOWN_BUFFER_MS;
    settings.workerOptions = {
      ...options,
      ...settings.workerOptions,
      ...SHUTDOWN_TIMES,
      plugins: [idlePlugin, deliveryQueue],
      // Conversations outlive builds: see createDeploymentOptions.
      workerDeploymentOptions: { defaultVersioningBehavior: 'AUTO_UPGRADE' },
    };
  });
}

let preparedHandler: Promise<LambdaHandler> | undefined;

/** Runs a worker until it has been idle for a while, or the invocation's time is nearly up. */
export async function handler(event: unknown, context: Context): Promise<void> {
  preparedHandler ??= prepareHandler().catch((error) => {
    preparedHandler = undefined;
    throw error;
  });
  const run = await preparedHandler;
  hasStoppedIdle = false;
  try {
    await run(event, context);
  } catch (error) {
    // The runtime expects the worker to run until the time is up; stopping early when idle is intended.
    if (!hasStoppedIdle || (error as Error).name !== 'PromiseCompletionTimeoutError') throw error;
  } finally {
    await tracing?.flush();
  }
}
