import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../src/config';
import type { Cleanup } from '../src/process';
import { lazyClient } from '../src/temporal/connect';
import { startLocalServer } from '../src/temporal/local-server';
import { temporalCli } from '../src/temporal/toolchain';
import { type Child, startChild } from './child';
import type { Stage } from './converse';
import type { Contestant } from './measure';
import { bareSide, parleySide } from './sides';
import { startWorld } from './world';

/** Parley first, then the bare workflow. */
export type Both<T> = [parley: T, bare: T];

/** A Temporal server as `npm start` runs it, in a folder that goes when we do. */
export async function setStage(cleanup: Cleanup): Promise<Stage> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  cleanup.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startLocalServer({ cli: temporalCli(), dataDir, log: () => undefined });
  cleanup.push(server.stop);
  const about = JSON.parse(readFileSync(path.join(dataDir, 'temporal.json'), 'utf8')) as { pid: number };
  const world = await startWorld();
  cleanup.push(world.stop);
  const client = lazyClient(readConfig({ TEMPORAL_ADDRESS: server.address }).temporal);
  cleanup.push(() => client.connection.close());
  return { address: server.address, serverPid: about.pid, dataDir, client, world };
}

export async function startBoth(
  { address, dataDir, client, world }: Stage,
  maxCachedWorkflows: number,
  cleanup: Cleanup,
): Promise<Both<Contestant>> {
  const start = async (file: string, worldUrl: string): Promise<Child> => {
    const agents = path.resolve('agents');
    const child = await startChild(file, { address, dataDir, agents, worldUrl, maxCachedWorkflows });
    cleanup.push(child.stop);
    return child;
  };
  const parley = await start('parley-process.js', world.modelUrl);
  const bare = await start('bare-process.js', world.bareUrl);
  return [
    { side: parleySide(parley.url), child: parley },
    { side: bareSide(client), child: bare },
  ];
}
