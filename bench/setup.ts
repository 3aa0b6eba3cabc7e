import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { readConfig } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { createTemporalClient } from '#infra/temporal/client';
import { startLocalServer } from '#infra/temporal/dev-server/local-server';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { type CallbackServer, startCallbackServer } from './callback-server';
import type { BenchOptions } from './options';
import { type BenchProcess, type BenchProcessSettings, startBenchProcess } from './processes/child-process';
import { type BenchSubject, createBareSubject, createParleySubject } from './subjects';

/** Parley first, then the bare workflow. */
export type SubjectPair<T> = [parley: T, bare: T];

const OTHER_NAMESPACE = 'other';

/** A Temporal server as `npm start` runs it, in a folder that goes when we do. */
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
  const said = readFileSync(path.join(dataDir, 'temporal.log'), 'utf8');
  const metricsUrl = /^Metrics: +(\S+)/m.exec(said)?.[1];
  const about = JSON.parse(readFileSync(path.join(dataDir, 'temporal.json'), 'utf8')) as { pid: number };
  const world = await startCallbackServer();
  cleanup.push(world.stop);
  const connect = (more: Record<string, string>) => {
    const client = createTemporalClient(readConfig({ TEMPORAL_ADDRESS: server.address, ...more }).temporal);
    cleanup.push(() => client.connection.close());
    return client;
  };
  const [client, reader] = [connect({}), connect(environment)];
  return {
    address: server.address,
    serverPid: about.pid,
    metricsUrl,
    dataDir,
    client,
    reader,
    connect,
    world,
  };
}

/** How the processes are to be run. */
export interface BenchRunOptions extends Pick<BenchProcessSettings, 'maxCachedWorkflows' | 'environment' | 'tuning'> {
  /** Where profiles of them go. */
  profiles?: string;
}

/** Each with all of its own in one process. */
export async function startSubjectPair(
  stage: BenchContext,
  { running, against }: Pick<BenchOptions, 'running' | 'against'>,
  cleanup: ShutdownHooks,
): Promise<SubjectPair<RunningSubject>> {
  const child = await startSubjectProcess(stage, running, cleanup, 'parley-process.js');
  const parley = { side: createParleySubject(child.url, stage.reader), child };
  const other = against ? startOtherParley(stage, against, cleanup) : startBareSubject(stage, running, cleanup);
  return [parley, await other];
}

const OTHER_CACHE_SIZE = 500;

/** Parley as it is in that folder, in a namespace of its own. */
async function startOtherParley(stage: BenchContext, folder: string, cleanup: ShutdownHooks): Promise<RunningSubject> {
  const environment = { TEMPORAL_NAMESPACE: OTHER_NAMESPACE };
  const file = path.resolve(folder, 'dist/bench/processes/parley-process.js');
  const child = await startSubjectProcess(stage, { maxCachedWorkflows: OTHER_CACHE_SIZE, environment }, cleanup, file);
  return { side: createParleySubject(child.url, stage.connect(environment), OTHER_NAMESPACE), child };
}

export async function startBareSubject(
  stage: BenchContext,
  running: BenchRunOptions,
  cleanup: ShutdownHooks,
): Promise<RunningSubject> {
  return {
    side: createBareSubject(stage.client),
    child: await startSubjectProcess(stage, running, cleanup, 'bare-process.js'),
  };
}

/** Parley with worker and API apart, to tell what each of them uses. */
export async function startSplitParley(
  stage: BenchContext,
  running: BenchRunOptions,
  cleanup: ShutdownHooks,
): Promise<RunningSubject> {
  const child = await startSubjectProcess(stage, running, cleanup, 'parley-process.js', 'worker');
  const api = await startSubjectProcess(stage, running, cleanup, 'parley-process.js', 'api');
  return { side: createParleySubject(api.url, stage.reader), child, api };
}

async function startSubjectProcess(
  { address, dataDir, world }: BenchContext,
  { profiles, ...running }: BenchRunOptions,
  cleanup: ShutdownHooks,
  file: string,
  runs?: BenchProcessSettings['runs'],
): Promise<BenchProcess> {
  const worldUrl = file === 'bare-process.js' ? world.bareUrl : world.modelUrl;
  const agents = path.resolve('agents');
  const child = await startBenchProcess(file, { address, dataDir, agents, worldUrl, runs, ...running }, profiles);
  cleanup.push(child.stop);
  return child;
}

/** What both sides play on. */
export interface BenchContext {
  address: string;
  serverPid: number;
  /** Where the server counts, if it says so. */
  metricsUrl?: string;
  dataDir: string;
  client: Client;
  /** Reads what Parley wrote, encrypted or not. */
  reader: Client;
  connect(environment: Record<string, string>): Client;
  world: CallbackServer;
}

/** A side with the process its worker runs in. */
export interface RunningSubject {
  side: BenchSubject;
  child: BenchProcess;
  /** Where that has a process of its own. */
  api?: BenchProcess;
}
