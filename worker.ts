import path from 'node:path';
import { Worker } from '@temporalio/worker';
import type { Channel } from './src/channels/channel';
import { type Config, ConfigError, readConfig } from './src/config';
import { conversationIn } from './src/contract/conversation';
import { createLog, type Log, sayEncryption } from './src/log';
import type { Metrics } from './src/metrics/metrics';
import { metricsOf } from './src/onlookers';
import { persist, runEntry } from './src/process';
import { connectWorker, lazyClient } from './src/temporal/connect';
import { deploymentOf } from './src/temporal/deployment';
import { prepareNamespace } from './src/temporal/namespace';
import { watchStanding } from './src/temporal/standing';
import { describeQueue } from './src/temporal/task-queue';
import { workflowBundle } from './src/temporal/workflow-bundle';
import type { Tool } from './src/tools/tool';
import type { Tracing } from './src/tracing/tracing';
import { openEffects } from './src/worker/effects';
import { leaveWhenIdle } from './src/worker/idle';
import { openWorkerOnlookers } from './src/worker/onlookers';
import { workerOptions } from './src/worker/options';
import { openWorkerPort, type Watched } from './src/worker/port';
import { type EndlessWorkflow, watched } from './src/worker/watch/watch';
import { TASK_QUEUE } from './src/workflows/messages';

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
export async function startWorker(
  config: Config,
  log: Log,
  settings: WorkerSettings = {},
): Promise<RunningWorker> {
  const dist = path.join(__dirname, __dirname.endsWith('dist') ? '' : 'dist');
  const bundling = settings.workflowBundle ?? workflowBundle(dist, config.temporal.encryption);
  sayEncryption(log, config.temporal.encryption);
  const { metrics = metricsOf(config), tracing } = settings;
  const client = lazyClient(config.temporal, { grpc: metrics.grpc });
  const { taskQueue = TASK_QUEUE, tools, maxCachedWorkflows } = settings;
  const look = () => describeQueue(client, taskQueue);
  let worker: Worker | undefined;
  const isPolling = () => worker?.getState() === 'RUNNING';
  const reach = () => client.withDeadline(Date.now() + REACH_MS, look);
  const port = await openPort(config, { metrics, isPolling, reach });
  const connection = await persist('Temporal', () => connectWorker(config.temporal), log);
  await persist('Temporal', () => prepareNamespace(client, config, log), log);
  const effects = await openEffects(config, log, settings.channels, { metrics, tracing });
  const parts = { client, effects: effects.forActivities, bundle: await bundling, tools, metrics, tracing };
  const usual = workerOptions(config, parts);
  const options = {
    ...usual,
    taskQueue,
    maxCachedWorkflows: maxCachedWorkflows ?? usual.maxCachedWorkflows,
    plugins: settings.untilIdle ? [leaveWhenIdle(config.idleMs)] : [],
  };
  const { made, watch } = await watched(() =>
    Worker.create({ ...options, connection, ...deploymentOf(config.build) }),
  );
  worker = made;
  watch.endless.catch(({ message, workflowId }: EndlessWorkflow) =>
    log.fatal({ conversation: conversationIn(workflowId) }, message),
  );
  const standing = watchStanding(look, config.build, log);
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

const REACH_MS = 2_000;

async function openPort({ host, workerPort: port, keys }: Config, watched: Watched) {
  if (port === undefined) return undefined;
  return openWorkerPort({ host, port, keys }, watched).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`PARLEY_WORKER_PORT cannot be used: ${error.message}`);
  });
}

const OWN_SECRET =
  'PARLEY_SECRET is not set: links in mails open only where the API keeps its secret in the same PARLEY_DATA. Set it for both.';

if (require.main === module) {
  void runEntry(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    const isCounted = config.workerPort !== undefined;
    const onlookers = openWorkerOnlookers(config, log, cleanup, { isCounted });
    if (!config.secret && (config.channels.slack || config.channels.email)) log.warn(OWN_SECRET);
    const untilIdle = process.argv.includes('--until-idle');
    const worker = await startWorker(config, log, { ...onlookers, untilIdle });
    cleanup.push(worker.stop);
    log.info({ model: worker.model, url: worker.url }, 'worker is running');
    return { ...worker, drainMs: config.drainMs };
  });
}
