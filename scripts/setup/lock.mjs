/**
 * Allows one process at a time per project and part: `npm run api` and `npm run worker` may start together on a fresh
 * clone.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { print } from './log.mjs';
import { PROJECT } from './paths.mjs';
import { isProcessAlive } from './process-alive.mjs';

// Outside node_modules, which `npm ci` deletes, and dist, which a build may delete.
const LOCK_PREFIX = path.join(
  tmpdir(),
  `parley-setup-${createHash('sha256').update(`${PROJECT} ${userInfo().uid}`).digest('hex').slice(0, 16)}`,
);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs `work` while holding the lock of `part`. Different parts do not wait for each other. */
export async function withLock(part, work) {
  const file = `${LOCK_PREFIX}-${part}`;
  const releaseLock = () => readHolder(file) === process.pid && rmSync(file, { force: true });
  const exit = () => process.exit(130);
  process.once('exit', releaseLock);
  for (const signal of SIGNALS) process.once(signal, exit);
  try {
    await acquireLock(file, part);
    return await work();
  } finally {
    releaseLock();
    process.off('exit', releaseLock);
    for (const signal of SIGNALS) process.off(signal, exit);
  }
}

async function acquireLock(file, part) {
  for (let hasReported = false; !tryAcquireLock(file); hasReported = true) {
    const owner = readHolder(file);
    if (isStale(file, owner)) rmSync(file, { force: true });
    else {
      if (!hasReported) print(`Waiting for another setup of ${part} (pid ${owner ?? 'unknown'})…`);
      await pause(200);
    }
  }
}

function tryAcquireLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a lock is stale. The file is empty for an instant after its creation, so one without a pid is stale
 * only when it is old.
 */
function isStale(file, owner) {
  if (owner) return !isProcessAlive(owner);
  try {
    return Date.now() - statSync(file).mtimeMs > 5000;
  } catch {
    return false;
  }
}
