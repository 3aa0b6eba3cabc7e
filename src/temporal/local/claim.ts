import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beginningOf } from './processes';

const CLAIM = /^owner-(\d+)-(.+)\.claim$/;
const TRIES = 5;

/**
 * Make a data folder ours for as long as we live, or throw. Two servers on one SQLite file would corrupt it.
 *
 * A claim is a file named after its process. First write ours, then look for those of others: of two who claim at
 * once, the later to look sees the other's. So nobody ever removes a claim but its owner, or anybody once the owner
 * is dead, and there is no lock left over from a crash to break, which is where such locks go wrong.
 */
export async function claim(folder: string): Promise<() => void> {
  for (let left = TRIES; ; left -= 1) {
    const rival = ours.has(folder) ? process.pid : tryClaim(folder);
    if (rival === undefined) return () => release(folder);
    if (left === 1) throw new Error(alreadyRunning(folder, rival));
    // Both of two who start at once may have stepped back: try again, not in step.
    await pause(50 + Math.random() * 200);
  }
}

const ours = new Set<string>();

function tryClaim(folder: string): number | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(fileIn(folder), '');
  const rival = rivalIn(folder);
  if (rival === undefined) ours.add(folder);
  else rmSync(fileIn(folder), { force: true });
  return rival;
}

function release(folder: string): void {
  if (ours.delete(folder)) rmSync(fileIn(folder), { force: true });
}

/** The pid of somebody else who lives and claims the folder. Claims of the dead are swept on the way. */
function rivalIn(folder: string): number | undefined {
  for (const name of readdirSync(folder)) {
    const [, pid, beginning] = CLAIM.exec(name) ?? [];
    if (pid === undefined || name === path.basename(fileIn(folder))) continue;
    if (beginningOf(Number(pid)) === beginning) return Number(pid);
    rmSync(path.join(folder, name), { force: true });
  }
  return undefined;
}

function fileIn(folder: string): string {
  return path.join(folder, `owner-${process.pid}-${beginningOf(process.pid)}.claim`);
}

function alreadyRunning(folder: string, pid: number): string {
  return (
    `Parley is already running on this data folder (pid ${pid}): ${folder}. ` +
    'Stop it, or set PARLEY_DATA to another folder.'
  );
}
