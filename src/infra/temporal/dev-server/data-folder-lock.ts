import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readProcessStartTime } from './process-table';

const LOCK_FILE_PATTERN = /^owner-(\d+)-(.+)\.claim$/;
const LOCK_TRIES = 5;

/**
 * Locks a data folder for the lifetime of this process, or throws. Two servers on one SQLite file would corrupt it.
 *
 * Each process writes a claim file with its own name, then looks for other claims: of two processes that start at once,
 * the later one sees the other's claim. A claim is only removed by its owner, or once the owner is dead. So a crash
 * leaves no stale lock to break, which is where such locks usually fail.
 */
export async function lockDataFolder(folder: string): Promise<() => void> {
  for (let attemptsLeft = LOCK_TRIES; ; attemptsLeft -= 1) {
    const otherPid = lockedFolders.has(folder) ? process.pid : tryLockFolder(folder);
    if (otherPid === undefined) return () => releaseFolderLock(folder);
    if (attemptsLeft === 1) throw new Error(formatAlreadyRunning(folder, otherPid));
    // Two processes that start at once may both have given up: retry after a random delay.
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

/** Returns the pid of another live process that claims the folder. Removes claims of dead processes. */
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
    `Parley is already running with this data folder (pid ${pid}): ${folder}. ` +
    'Stop it, or set PARLEY_DATA to another folder.'
  );
}
