/** One set-up at a time per project: `npm run api` and `npm run worker` may start together on a fresh clone. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from './alive.mjs';
import { PROJECT } from './places.mjs';
import { say } from './say.mjs';

// Outside node_modules, which `npm ci` deletes, and dist, which a build may.
const LOCK = path.join(
  tmpdir(),
  `parley-setup-${createHash('sha256').update(`${PROJECT} ${userInfo().uid}`).digest('hex').slice(0, 16)}`,
);

export async function withLock(work) {
  await take();
  const release = () => holder() === process.pid && rmSync(LOCK, { force: true });
  process.once('exit', release);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  try {
    return await work();
  } finally {
    release();
  }
}

async function take() {
  for (let told = false; !tryTake(); told = true) {
    const owner = holder();
    if (isStale(owner)) rmSync(LOCK, { force: true });
    else {
      if (!told) say(`Waiting for the set-up that is already running (process ${owner ?? 'unknown'}) …`);
      await pause(200);
    }
  }
}

function tryTake() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function holder() {
  try {
    return Number(readFileSync(LOCK, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/** The file is empty for an instant between being made and being written: only an old one without a pid is stale. */
function isStale(owner) {
  if (owner) return !isAlive(owner);
  try {
    return Date.now() - statSync(LOCK).mtimeMs > 5000;
  } catch {
    return false;
  }
}
