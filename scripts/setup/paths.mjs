/** Where things are kept. Binaries are not data: clones share them, and deleting conversations keeps them. */
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProcessAlive } from './process-alive.mjs';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Every cache worth looking in, the preferred one first. */
export function listCacheFolders(env = process.env) {
  const shared = path.join(env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'parley');
  const data = path.resolve(PROJECT, env.PARLEY_DATA || '.parley');
  return [shared, path.join(data, 'cache')];
}

/** The first cache that can be written to. */
export function findWritableCache() {
  const found = listCacheFolders().find(isWritable);
  if (!found) throw new Error(`None of these folders can be written to: ${listCacheFolders().join(', ')}`);
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
 * Work in a folder next to where the result will go, so that a rename puts it there whole or not at all.
 * The name holds our pid, so that what a killed run left behind is swept by the next.
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
