import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readProcessStartTime } from './process-table';

const LOCK_FILE_PATTERN = /^owner-(\d+)-(.+)\.claim$/;
const LOCK_TRIES = 5;

/**
 * Make a data folder ours for as long as we live, or throw. Two servers on one SQLite file would corrupt it.
 *
 * A claim is a file named after its process. First write ours, then look for those of others: of two who claim at
 * once, the later to look sees the other's. So nobody ever removes a claim but its owner, or anybody once the owner
 * is dead, and there is no lock left over from a crash to break, which is where such locks go wrong.
 */
export async function lockDataFolder(folder: string): Promise<() => void> {
  for (let attemptsLeft = LOCK_TRIES; ; attemptsLeft -= 1) {
    const otherPid = lockedFolders.has(folder) ? process.pid : tryLockFolder(folder);
    if (otherPid === undefined) return () => releaseFolderLock(folder);
    if (attemptsLeft === 1) throw new Error(formatAlreadyRunning(folder, otherPid));
    // Both of two who start at once may have stepped back: try again, not in step.
    await pause(50 + Math.random() * 200);
  }
}

const lockedFolders = new Set<string>();

function tryLockFolder(folder: string): number | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(lockFileIn(folder), '');
  const otherPid = findOtherOwner(folder);
  if (otherPid === undefined) lockedFolders.add(folder);
  else rmSync(lockFileIn(folder), { force: true });
  return otherPid;
}

function releaseFolderLock(folder: string): void {
  if (lockedFolders.delete(folder)) rmSync(lockFileIn(folder), { force: true });
}

/** The pid of somebody else who lives and claims the folder. Claims of the dead are swept on the way. */
function findOtherOwner(folder: string): number | undefined {
  for (const name of readdirSync(folder)) {
    const [, pid, startTime] = LOCK_FILE_PATTERN.exec(name) ?? [];
    if (pid === undefined || name === path.basename(lockFileIn(folder))) continue;
    if (readProcessStartTime(Number(pid)) === startTime) return Number(pid);
    rmSync(path.join(folder, name), { force: true });
  }
  return undefined;
}

function lockFileIn(folder: string): string {
  return path.join(folder, `owner-${process.pid}-${readProcessStartTime(process.pid)}.claim`);
}

function formatAlreadyRunning(folder: string, pid: number): string {
  return (
    `Parley is already running on this data folder (pid ${pid}): ${folder}. ` +
    'Stop it, or set PARLEY_DATA to another folder.'
  );
}
