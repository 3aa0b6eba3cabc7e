import path from 'node:path';
import type { Client } from '@temporalio/client';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { createActivities, type Dependencies } from './src/activities/activities';
import { transcriptReader } from './src/activities/read-transcript';
import type { Channel } from './src/channels/channel';
import { createChannels } from './src/channels/channels';
import { receiversInside } from './src/channels/webhook/receivers';
import { type Config, readConfig } from './src/config';
import { keptSecret } from './src/kept-secret';
import { createLog, installRuntime, type Log, sayEncryption, sayUnusable } from './src/log';
import { chooseModel } from './src/model/choose';
import { createNetwork } from './src/network/guarded';
import { persist, runEntry } from './src/process';
import { openExports, openStorage } from './src/storage/open-store';
import { connectWorker, lazyClient } from './src/temporal/connect';
import { dataConverter } from './src/temporal/converter';
import { deploymentOf } from './src/temporal/deployment';
import { prepareNamespace } from './src/temporal/namespace';
import { watchStanding } from './src/temporal/standing';
import { describeQueue } from './src/temporal/task-queue';
import { workflowBundle } from './src/temporal/workflow-bundle';
import { createMcpServers } from './src/tools/mcp/servers';
import { builtIn, withStorage } from './src/tools/registry';
import type { Tool } from './src/tools/tool';
import { TASK_QUEUE } from './src/workflows/messages';

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
  const model = await chooseModel(config.model);
  const network = createNetwork({ internal: config.internalHosts });
  const mcp = createMcpServers({ variables: config.environment });
  const outside = createNetwork({ internal: receiversInside(config) });
  const secret = keptSecret(config.secret, config.data);
  const {
    channels = createChannels({
      settings: config.channels,
      secret,
      network: outside,
      log,
      isOpen: !config.keys,
      isPrivate: config.temporal.encryption !== undefined,
    }),
  } = settings;
  const storage = openStorage(config.storage, config, config.temporal.encryption);
  const exports = config.exports && openExports(config.exports, config);
  const ended = new AbortController();
  sayUnusable(log, 'PARLEY_STORAGE', storage?.tryOut('write'), ended.signal);
  sayUnusable(log, 'PARLEY_EXPORTS', exports?.tryOut('write'), ended.signal);
  const worker = await createWorker(config, connection, client, {
    effects: { model: model.model, network, mcp, channels, variables: config.environment, storage, exports },
    bundle: await bundling,
    settings,
  });
  const { taskQueue = TASK_QUEUE } = settings;
  const standing = watchStanding(() => describeQueue(client, taskQueue), config.build, log);
  const done = worker.run().finally(async () => {
    standing.stop();
    ended.abort();
    await Promise.all([
      model.stop(),
      mcp.close(),
      network.close(),
      outside.close(),
      client.connection.close(),
      connection.close(),
    ]);
    storage?.close();
    exports?.close();
  });
  const stop = async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await done.catch(() => undefined);
  };
  return { model: model.name, stop, done };
}

type Parts = {
  effects: Pick<Dependencies, 'model' | 'network' | 'mcp' | 'channels' | 'variables' | 'storage' | 'exports'>;
  bundle: { codePath: string };
  settings: WorkerSettings;
};

/** The benchmark gives the bare workflow the same. */
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

function createWorker(
  config: Config,
  connection: NativeConnection,
  client: Client,
  parts: Parts,
): Promise<Worker> {
  const { sinks, read: readTranscript } = transcriptReader(client);
  const { taskQueue = TASK_QUEUE, tools: given = builtIn, maxCachedWorkflows = 500 } = parts.settings;
  const tools = withStorage(given, parts.effects.storage !== undefined);
  return Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue,
    workflowBundle: parts.bundle,
    dataConverter: dataConverter(config.temporal.encryption),
    activities: createActivities({ ...parts.effects, tools, readTranscript, client }),
    sinks,
    maxCachedWorkflows,
    ...deploymentOf(config.build),
    ...tuning,
  });
}

const OWN_SECRET =
  'PARLEY_SECRET is not set: links in mails open only where the API keeps its secret in the same PARLEY_DATA. Set it for both.';

if (require.main === module) {
  void runEntry(async (cleanup) => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    installRuntime(log);
    if (!config.secret && (config.channels.slack || config.channels.email)) log.warn(OWN_SECRET);
    const worker = await startWorker(config, log);
    cleanup.push(worker.stop);
    log.info({ model: worker.model }, 'worker is running');
    return worker;
  });
}
