/** Finds installed Temporal servers; temporal-cli.mjs and temporal-test-server.mjs install them. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { canRunProgram } from '../exec.mjs';
import { SetupError } from '../log.mjs';
import { listCacheFolders } from '../paths.mjs';

export const EXECUTABLE_SUFFIX = process.platform === 'win32' ? '.exe' : '';

/** Their file names in the cache. */
export const TEMPORAL_CLI_FILE = `temporal${EXECUTABLE_SUFFIX}`;
export const TEST_SERVER_FILE = `temporal-test-server${EXECUTABLE_SUFFIX}`;

/** Finds the Temporal CLI in TEMPORAL_CLI, PATH or the cache. A TEMPORAL_CLI that does not run is an error. */
export async function findTemporalCli(env = process.env) {
  if (env.TEMPORAL_CLI) return requireTemporalCli(path.resolve(env.TEMPORAL_CLI));
  const onPath = findOnPath('temporal', env);
  if (onPath && (await isTemporalCli(onPath))) return onPath;
  return findCached(TEMPORAL_CLI_FILE, env);
}

export function findTestServer(env = process.env) {
  return findCached(TEST_SERVER_FILE, env);
}

export function findOnPath(name, env = process.env) {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name + EXECUTABLE_SUFFIX)).find(isExecutable);
}

export function isTemporalCli(file) {
  return canRunProgram(file, ['--version'], /temporal version/i);
}

async function requireTemporalCli(file) {
  if (!isExecutable(file)) {
    throw new SetupError(`TEMPORAL_CLI is ${file}, which is not an executable. Correct or unset it.`);
  }
  if (await isTemporalCli(file)) return file;
  throw new SetupError(`TEMPORAL_CLI is ${file}, which is not the Temporal CLI: try running it with --version.`);
}

export function findCached(name, env = process.env) {
  return listCacheFolders(env)
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
