/** Builds the web app into dist/web if its sources have changed since the last build. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runProgram } from '../exec.mjs';
import { SetupError, withProgress } from '../log.mjs';
import { inTemporaryFolder, PROJECT } from '../paths.mjs';
import { hashFiles, listFilesBelow } from './source-hash.mjs';

const DIST = path.join(PROJECT, 'dist');
const WEB = path.join(DIST, 'web');
// Inside the folder, so that the build and its source hash are moved into place together.
const STAMP_FILE = '.built';

export function isWebBuilt() {
  const file = path.join(WEB, STAMP_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === hashFiles(listSources());
}

export async function buildWeb() {
  const { ok, output } = await withProgress('Building the web app', bundleWeb);
  if (!ok) throw new SetupError(`The web app build failed:\n\n${output.trimEnd()}`);
}

/**
 * Builds the web app and records its source hash. Resolves to {ok, output}, because errors are expected in `npm run
 * dev`.
 */
export async function bundleWeb() {
  // Computed before Vite reads the sources: if a file is saved meanwhile, the next check finds the build out of date.
  const sourceHash = hashFiles(listSources());
  mkdirSync(DIST, { recursive: true });
  return inTemporaryFolder(DIST, async (folder) => {
    const built = path.join(folder, 'web');
    const { ok, output } = await runVite(built);
    if (ok) {
      writeFileSync(path.join(built, STAMP_FILE), sourceHash);
      replaceWebFolder(built, path.join(folder, 'old'));
    }
    return { ok, output };
  });
}

async function runVite(outDir) {
  const program = path.join(PROJECT, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = ['build', '-c', 'web/vite.config.mts', '--outDir', outDir, '--logLevel', 'warn'];
  // Ignores NODE_ENV, because React's development build is slow and three times as large.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { ok, output } = await runProgram(process.execPath, [program, ...args], { env });
  return { ok, output: cleanViteOutput(output) };
}

/** Vite colors its output even without a terminal, and ends with a stack trace of its own code. */
function cleanViteOutput(output) {
  return stripVTControlCharacters(output).split(/\n +at /, 1)[0];
}

/** Replaces the folder by renaming, because a running API serves from it. */
function replaceWebFolder(built, old) {
  if (existsSync(WEB)) renameSync(WEB, old);
  renameSync(built, WEB);
}

/** Lists the app's own files, the files shared with the API, and the build configuration. */
function listSources() {
  const own = ['web', 'src/client', 'src/contract', 'src/core', 'src/presentation'].flatMap(listFilesBelow);
  return [...own, 'tsconfig.json', 'package-lock.json'].sort();
}
