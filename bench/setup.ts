import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { readConfig } from '#channels/read-config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { createTemporalClient } from '#infra/temporal/client';
import { startLocalServer } from '#infra/temporal/dev-server/data-folder-server';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { type CallbackServer, startCallbackServer } from './callback-server';
import type { BenchOptions } from './options';
import { type BenchProcess, type BenchProcessSettings, startBenchProcess } from './processes/child-process';
import { type BenchSubject, createBareSubject, createParleySubject } from './subjects';

/** Parley first, then the bare workflow. */
export type SubjectPair<T> = [parley: T, bare: T];

const OTHER_NAMESPACE = 'other';

/** Starts a Temporal server as `npm start` does, in a folder that is deleted at the end. */
export async function setUpBench(environment: Record<string, string>, cleanup: ShutdownHooks): Promise<BenchContext> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  cleanup.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startLocalServer({
    cli: findTemporalCli(),
    dataDir,
    namespace: OTHER_NAMESPACE,
    log: () => undefined,
  });
  cleanup.push(server.stop);
  const serverLog = readFileSync(path.join(dataDir, 'temporal.log'), 'utf8');
  const metricsUrl = /^Metrics: +(\S+)/m.exec(serverLog)?.[1];
  const serverInfo = JSON.parse(readFileSync(path.join(dataDir, 'temporal.json'), 'utf8')) as { pid: number };
  const callbackServer = await startCallbackServer();
  cleanup.push(callbackServer.stop);
  const connect = (more: Record<string, string>) => {
    const client = createTemporalClient(readConfig({ TEMPORAL_ADDRESS: server.address, ...more }).temporal);
    cleanup.push(() => client.connection.close());
    return client;
  };
  const [client, reader] = [connect({}), connect(environment)];
  return {
    address: server.address,
    serverPid: serverInfo.pid,
    metricsUrl,
    dataDir,
    client,
    reader,
    connect,
    callbackServer,
  };
}

/** Options of the processes to run. */
export interface BenchRunOptions extends Pick<BenchProcessSettings, 'maxCachedWorkflows' | 'environment' | 'tuning'> {
  /** Folder for CPU profiles. */
  profiles?: string;
}

/** Starts both subjects, each in one process. */
export async function startSubjectPair(
  context: BenchContext,
  { runOptions, against }: Pick<BenchOptions, 'runOptions' | 'against'>,
  cleanup: ShutdownHooks,
): Promise<SubjectPair<RunningSubject>> {
  const child = await startSubjectProcess(context, runOptions, cleanup, 'parley-process.js');
  const parley = { subject: createParleySubject(child.url, context.reader), child };
  const other = against ? startOtherParley(context, against, cleanup) : startBareSubject(context, runOptions, cleanup);
  return [parley, await other];
}

const OTHER_CACHE_SIZE = 500;

/** Starts the Parley of another folder, in a separate namespace. */
async function startOtherParley(
  context: BenchContext,
  folder: string,
  cleanup: ShutdownHooks,
): Promise<RunningSubject> {
  const environment = { TEMPORAL_NAMESPACE: OTHER_NAMESPACE };
  const file = path.resolve(folder, 'dist/bench/processes/parley-process.js');
  const child = await startSubjectProcess(
    context,
    { maxCachedWorkflows: OTHER_CACHE_SIZE, environment },
    cleanup,
    file,
  );
  return { subject: createParleySubject(child.url, context.connect(environment), OTHER_NAMESPACE), child };
}

export async function startBareSubject(
  context: BenchContext,
  runOptions: BenchRunOptions,
  cleanup: ShutdownHooks,
): Promise<RunningSubject> {
  return {
    subject: createBareSubject(context.client),
    child: await startSubjectProcess(context, runOptions, cleanup, 'bare-process.js'),
  };
}

/** Starts Parley with worker and API in separate processes, to measure each. */
export async function startSplitParley(
  context: BenchContext,
  runOptions: BenchRunOptions,
  cleanup: ShutdownHooks,
): Promise<RunningSubject> {
  const child = await startSubjectProcess(context, runOptions, cleanup, 'parley-process.js', 'worker');
  const api = await startSubjectProcess(context, runOptions, cleanup, 'parley-process.js', 'api');
  return { subject: createParleySubject(api.url, context.reader), child, api };
}

async function startSubjectProcess(
  { address, dataDir, callbackServer }: BenchContext,
  { profiles, ...runOptions }: BenchRunOptions,
  cleanup: ShutdownHooks,
  file: string,
  role?: BenchProcessSettings['role'],
): Promise<BenchProcess> {
  const callbackUrl = file === 'bare-process.js' ? callbackServer.bareUrl : callbackServer.modelUrl;
  const agents = path.resolve('agents');
  const child = await startBenchProcess(file, { address, dataDir, agents, callbackUrl, role, ...runOptions }, profiles);
  cleanup.push(child.stop);
  return child;
}

/** What both subjects share. */
export interface BenchContext {
  address: string;
  serverPid: number;
  /** URL of the server's metrics, if it reports one. */
  metricsUrl?: string;
  dataDir: string;
  client: Client;
  /** Reads what Parley wrote, encrypted or not. */
  reader: Client;
  connect(environment: Record<string, string>): Client;
  callbackServer: CallbackServer;
}

/** A subject with the process that its worker runs in. */
export interface RunningSubject {
  subject: BenchSubject;
  child: BenchProcess;
  /** Set if the API runs in a separate process. */
  api?: BenchProcess;
}
