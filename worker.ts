import path from 'node:path';
import { Worker } from '@temporalio/worker';
import type { Channel } from './src/channels/channel';
import { type Config, readConfig } from './src/config';
import { createLog, installRuntime, type Log, sayEncryption } from './src/log';
import { persist, runEntry } from './src/process';
import { connectWorker, lazyClient } from './src/temporal/connect';
import { deploymentOf } from './src/temporal/deployment';
import { prepareNamespace } from './src/temporal/namespace';
import { watchStanding } from './src/temporal/standing';
import { describeQueue } from './src/temporal/task-queue';
import { workflowBundle } from './src/temporal/workflow-bundle';
import type { Tool } from './src/tools/tool';
import { openEffects } from './src/worker/effects';
import { leaveWhenIdle } from './src/worker/idle';
import { workerOptions } from './src/worker/options';

export interface RunningWorker {
  /** What it calls the model by, for people to read. */
  model: string;
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
}

/** A worker: it takes conversations up, calls the model and runs tools. Any number may run; none has to. */
export async function startWorker(
  config: Config,
  log: Log,
  settings: WorkerSettings = {},
): Promise<RunningWorker> {
  const dist = path.join(__dirname, __dirname.endsWith('dist') ? '' : 'dist');
  const bundling = settings.workflowBundle ?? workflowBundle(dist, config.temporal.encryption);
  sayEncryption(log, config.temporal.encryption);
  const connection = await persist('Temporal', () => connectWorker(config.temporal), log);
  const client = lazyClient(config.temporal);
  await persist('Temporal', () => prepareNamespace(client, config, log), log);
  const effects = await openEffects(config, log, settings.channels);
  const { taskQueue, tools, maxCachedWorkflows } = settings;
  const parts = { client, effects: effects.forActivities, bundle: await bundling, tools };
  const usual = workerOptions(config, parts);
  const options = {
    ...usual,
    taskQueue: taskQueue ?? usual.taskQueue,
    maxCachedWorkflows: maxCachedWorkflows ?? usual.maxCachedWorkflows,
    plugins: settings.untilIdle ? [leaveWhenIdle(config.idleMs)] : [],
  };
  const worker = await Worker.create({ ...options, connection, ...deploymentOf(config.build) });
  const standing = watchStanding(() => describeQueue(client, options.taskQueue), config.build, log);
  const done = worker.run().finally(async () => {
    standing.stop();
    await Promise.all([effects.close(), client.connection.close(), connection.close()]);
  });
  const stop = async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await done.catch(() => undefined);
  };
  return { model: effects.model, stop, done };
}

const OWN_SECRET =
  'PARLEY_SECRET is not set: links in mails open only where the API keeps its secret in the same PARLEY_DATA. Set it for both.';

if (require.main === module) {
  void runEntry(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    installRuntime(log);
    if (!config.secret && (config.channels.slack || config.channels.email)) log.warn(OWN_SECRET);
    const worker = await startWorker(config, log, { untilIdle: process.argv.includes('--until-idle') });
    cleanup.push(worker.stop);
    log.info({ model: worker.model }, 'worker is running');
    return { ...worker, drainMs: config.drainMs };
  });
}
