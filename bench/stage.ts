import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#config';
import type { Cleanup } from '#process';
import { lazyClient } from '#temporal/connect';
import { startLocalServer } from '#temporal/local-server';
import { temporalCli } from '#temporal/toolchain';
import { type Child, type Settings, startChild } from './child';
import type { Stage } from './converse';
import type { Flags } from './flags';
import type { Contestant } from './measure';
import { bareSide, parleySide } from './sides';
import { startWorld } from './world';

/** Parley first, then the bare workflow. */
export type Both<T> = [parley: T, bare: T];

const OTHER = 'other';

/** A Temporal server as `npm start` runs it, in a folder that goes when we do. */
export async function setStage(environment: Record<string, string>, cleanup: Cleanup): Promise<Stage> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  cleanup.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startLocalServer({
    cli: temporalCli(),
    dataDir,
    namespace: OTHER,
    log: () => undefined,
  });
  cleanup.push(server.stop);
  const said = readFileSync(path.join(dataDir, 'temporal.log'), 'utf8');
  const metricsUrl = /^Metrics: +(\S+)/m.exec(said)?.[1];
  const about = JSON.parse(readFileSync(path.join(dataDir, 'temporal.json'), 'utf8')) as { pid: number };
  const world = await startWorld();
  cleanup.push(world.stop);
  const connect = (more: Record<string, string>) => {
    const client = lazyClient(readConfig({ TEMPORAL_ADDRESS: server.address, ...more }).temporal);
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
export interface Running extends Pick<Settings, 'maxCachedWorkflows' | 'environment' | 'tuning'> {
  /** Where profiles of them go. */
  profiles?: string;
}

/** Each with all of its own in one process. */
export async function startBoth(
  stage: Stage,
  { running, against }: Pick<Flags, 'running' | 'against'>,
  cleanup: Cleanup,
): Promise<Both<Contestant>> {
  const child = await start(stage, running, cleanup, 'parley-process.js');
  const parley = { side: parleySide(child.url, stage.reader), child };
  const other = against ? startOther(stage, against, cleanup) : startBare(stage, running, cleanup);
  return [parley, await other];
}

const CACHE = 500;

/** Parley as it is in that folder, in a namespace of its own. */
async function startOther(stage: Stage, folder: string, cleanup: Cleanup): Promise<Contestant> {
  const environment = { TEMPORAL_NAMESPACE: OTHER };
  const file = path.resolve(folder, 'dist/bench/parley-process.js');
  const child = await start(stage, { maxCachedWorkflows: CACHE, environment }, cleanup, file);
  return { side: parleySide(child.url, stage.connect(environment), OTHER), child };
}

export async function startBare(stage: Stage, running: Running, cleanup: Cleanup): Promise<Contestant> {
  return { side: bareSide(stage.client), child: await start(stage, running, cleanup, 'bare-process.js') };
}

/** Parley with worker and API apart, to tell what each of them uses. */
export async function startApart(stage: Stage, running: Running, cleanup: Cleanup): Promise<Contestant> {
  const child = await start(stage, running, cleanup, 'parley-process.js', 'worker');
  const api = await start(stage, running, cleanup, 'parley-process.js', 'api');
  return { side: parleySide(api.url, stage.reader), child, api };
}

async function start(
  { address, dataDir, world }: Stage,
  { profiles, ...running }: Running,
  cleanup: Cleanup,
  file: string,
  runs?: Settings['runs'],
): Promise<Child> {
  const worldUrl = file === 'bare-process.js' ? world.bareUrl : world.modelUrl;
  const agents = path.resolve('agents');
  const child = await startChild(file, { address, dataDir, agents, worldUrl, runs, ...running }, profiles);
  cleanup.push(child.stop);
  return child;
}
