/** Finding the servers that are already here. Getting them is in temporal.mjs and test-server.mjs. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { runs } from '../exec.mjs';
import { Failure } from '../log.mjs';
import { caches } from '../paths.mjs';

export const EXE = process.platform === 'win32' ? '.exe' : '';

/** What they are called in the cache. */
export const TEMPORAL = `temporal${EXE}`;
export const TEST_SERVER = `temporal-test-server${EXE}`;

/** The Temporal CLI: TEMPORAL_CLI, then PATH, then the cache. A TEMPORAL_CLI that does not run is an error. */
export async function findTemporal(env = process.env) {
  if (env.TEMPORAL_CLI) return checkNamed(path.resolve(env.TEMPORAL_CLI));
  const onPath = findOnPath('temporal', env);
  if (onPath && (await isTemporal(onPath))) return onPath;
  return findCached(TEMPORAL, env);
}

export function findTestServer(env = process.env) {
  return findCached(TEST_SERVER, env);
}

export function findOnPath(name, env = process.env) {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name + EXE)).find(isExecutable);
}

export function isTemporal(file) {
  return runs(file, ['--version'], /temporal version/i);
}

async function checkNamed(file) {
  if (!isExecutable(file)) {
    throw new Failure(`TEMPORAL_CLI names ${file}, and there is no program there. Correct it, or unset it.`);
  }
  if (await isTemporal(file)) return file;
  throw new Failure(`TEMPORAL_CLI names ${file}, which does not run as the Temporal CLI: try it with --version.`);
}

export function findCached(name, env = process.env) {
  return caches(env)
    .map((folder) => path.join(folder, name))
    .find(isExecutable);
}

export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
