/**
 * Locations of files. Binaries are not stored with the data: clones share them, and deleting conversations keeps them.
 */
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProcessAlive } from './process-alive.mjs';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Lists all cache folders, the preferred one first. */
export function listCacheFolders(env = process.env) {
  const shared = path.join(env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'parley');
  const data = path.resolve(PROJECT, env.PARLEY_DATA || '.parley');
  return [shared, path.join(data, 'cache')];
}

/** Returns the first writable cache folder. */
export function findWritableCache() {
  const found = listCacheFolders().find(isWritable);
  if (!found) throw new Error(`No writable cache folder. Tried: ${listCacheFolders().join(', ')}`);
  return found;
}

function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs `work` in a temporary folder next to the destination, so that a rename moves the complete result. The folder's
 * name contains the pid, so that the next run can delete what a killed run left behind.
 */
export async function inTemporaryFolder(cache, work) {
  for (const name of readdirSync(cache)) {
    const pid = /^\.partial-(\d+)-/.exec(name)?.[1];
    if (pid && !isProcessAlive(Number(pid))) rmSync(path.join(cache, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(path.join(cache, `.partial-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
