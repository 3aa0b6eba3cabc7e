import path from 'node:path';
import { type LambdaHandler, runWorker } from '@temporalio/lambda-worker';
import { DefaultLogger } from '@temporalio/worker';
import type { Context } from 'aws-lambda';
import { coreLogging, createLog, temporalLines } from '#log';
import { projectVersion } from '#project';
import { lazyClient, workerConnection } from '#temporal/connect';
import { prepareNamespace } from '#temporal/namespace';
import { openTracing } from '#tracing/open';
import { openEffects } from '#worker/effects';
import { leaveWhenIdle } from '#worker/idle';
import { workerOptions } from '#worker/options';
import { readSettings } from './settings';

const config = readSettings({ PARLEY_BUILD_ID: 'a worker in a function is always a build of a deployment' });
const log = createLog(config.logLevel);
const tracing = openTracing(config.tracing, projectVersion(), log);
/** Made with the function, beside it: webpack takes seconds, and is not there. */
const BUNDLE = path.join(
  __dirname,
  config.temporal.encryption ? 'workflow-bundle-encrypted.js' : 'workflow-bundle.js',
);
/** What is under way when the time is up has five seconds to finish; then it is left to the next invocation. */
const ENDING = { shutdownGraceTime: '5s', shutdownForceTime: '6s' } as const;
const ENDING_MS = 7_000;

let hasLeft = false;

async function prepare(): Promise<LambdaHandler> {
  const { build, temporal, idleMs } = config;
  if (!build) throw new Error('unreachable: the settings are read');
  const client = lazyClient(temporal);
  await prepareNamespace(client, config, log);
  const effects = await openEffects(config, log, undefined, { tracing });
  const parts = { client, effects: effects.forActivities, bundle: { codePath: BUNDLE }, tracing };
  const { namespace, ...options } = workerOptions(config, parts);
  const leave = leaveWhenIdle(idleMs, () => {
    hasLeft = true;
  });
  return runWorker(build, (settings) => {
    settings.namespace = namespace;
    settings.connectionOptions = workerConnection(temporal);
    settings.runtimeOptions.logger = new DefaultLogger('WARN', temporalLines(log));
    settings.runtimeOptions.telemetryOptions = { logging: coreLogging };
    settings.shutdownDeadlineBufferMs = ENDING_MS;
    settings.workerOptions = {
      ...options,
      ...settings.workerOptions,
      ...ENDING,
      plugins: [leave],
      // Conversations outlive builds, as everywhere.
      workerDeploymentOptions: { defaultVersioningBehavior: 'AUTO_UPGRADE' },
    };
  });
}

let prepared: Promise<LambdaHandler> | undefined;

/** Runs a worker until there has been nothing to do for a while, or the invocation's time is nearly up. */
export async function handler(event: unknown, context: Context): Promise<void> {
  prepared ??= prepare().catch((error) => {
    prepared = undefined;
    throw error;
  });
  const run = await prepared;
  hasLeft = false;
  try {
    await run(event, context);
  } catch (error) {
    // The worker was to run until the time is up; that it went before is what we wanted.
    if (!hasLeft || (error as Error).name !== 'PromiseCompletionTimeoutError') throw error;
  } finally {
    await tracing?.flush();
  }
}
