import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '#config';
import type { Cleanup } from '#process';
import { writeAgents } from './agents';
import { createBuilds } from './builds';
import type { Flags } from './flags';
import { type Fleet, startFleet } from './fleet';
import { watchProcesses } from './kept-process';
import { type Model, startModel } from './model';
import { type Outside, startOutside } from './outside';
import type { Play } from './play';
import { startDevTemporal } from './server/dev';
import { postGuardian } from './server/guardian';
import { keepUp } from './server/kept-up';
import { startPostgresServer } from './server/postgres';
import type { TemporalServer } from './server/server';
import { type Cues, createCues } from './world';

/** All that a run stands on. */
export interface Stage {
  folder: string;
  server: TemporalServer;
  outside: Outside;
  model: Model;
  fleet: Fleet;
  plays: Map<string, Play>;
  cues: Cues;
  /** Processes that ended though nobody did anything to them. */
  ended: string[];
}

/** Conversations roll over every few questions, where it would take thousands otherwise. */
const EARLY_ROLL_OVER = 'limit.historyCount.suggestContinueAsNew=60';

export async function setStage(flags: Flags, cleanup: Cleanup, say: (line: string) => void): Promise<Stage> {
  const folder = folderOf(flags);
  const builds = await createBuilds(folder, flags.plant);
  const server = await startServer(flags, path.join(folder, 'temporal'), say);
  cleanup.push(server.stop);
  const ended: string[] = [];
  const onEnded = (name: string, how = 'of itself') => {
    say(`${name} ended by itself: ${how}.`);
    ended.push(`${name} (${how})`);
  };
  const kept = keepUp(server, onEnded);
  cleanup.push(async () => kept.stop());
  guard(folder, cleanup);
  const outside = await startOutside();
  cleanup.push(outside.stop);
  writeAgents(folder, outside.host);
  const plays = new Map<string, Play>();
  const cues = createCues();
  const model = await startModel({ seed: flags.seed, plays, outsideHost: outside.host, onPlayed: cues.give });
  cleanup.push(model.stop);
  say('Starting two APIs and two workers.');
  const fleet = await startFleet({
    folder,
    address: server.address,
    modelUrl: model.url,
    outsideHost: outside.host,
    builds,
    apis: 2,
    workers: 2,
    onEnded,
  });
  cleanup.push(fleet.end);
  return { folder, server, outside, model, fleet, plays, cues, ended };
}

/** Nothing stays behind, not even where we are killed outright. */
function guard(folder: string, cleanup: Cleanup): void {
  const guardian = postGuardian(path.join(folder, 'data'));
  cleanup.push(async () => guardian.dismiss());
  watchProcesses(guardian.watch);
}

function startServer(
  { server }: Flags,
  folder: string,
  log: (line: string) => void,
): Promise<TemporalServer> {
  const dynamic = [EARLY_ROLL_OVER];
  mkdirSync(folder);
  if (server === 'postgres') return startPostgresServer({ folder, log, dynamic });
  log("Starting Temporal's dev server.");
  return startDevTemporal(folder, dynamic);
}

function folderOf({ folder, seed }: Flags): string {
  if (folder === undefined) {
    const made = mkdtempSync(path.join(tmpdir(), `parley-chaos-${seed}-`));
    // PostgreSQL does not run as root, and has to get at what is below.
    chmodSync(made, 0o755);
    return made;
  }
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0)
    throw new ConfigError(`${folder} is not empty: give it a folder of its own.`);
  return path.resolve(folder);
}

export function tidy({ folder }: Pick<Stage, 'folder'>): void {
  rmSync(folder, { recursive: true, force: true });
}
