/** The web app into dist/web, when something it is made from has changed since the last build. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runProgram } from '../exec.mjs';
import { SetupError, withProgress } from '../log.mjs';
import { inTemporaryFolder, PROJECT } from '../paths.mjs';
import { hashFiles, listFilesBelow } from './source-hash.mjs';

const DIST = path.join(PROJECT, 'dist');
const WEB = path.join(DIST, 'web');
// In the folder itself: what was built and what it was built from are put in place together.
const STAMP_FILE = '.built';

export function isWebBuilt() {
  const file = path.join(WEB, STAMP_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === hashFiles(listSources());
}

export async function buildWeb() {
  const { ok, output } = await withProgress('Building the web app', bundleWeb);
  if (!ok) throw new SetupError(`The build of the web app failed:\n\n${output.trimEnd()}`);
}

/** Build and remember from what. Resolves to {ok, output}: an error is no surprise in `npm run dev`. */
export async function bundleWeb() {
  // Taken before Vite reads them: a file saved meanwhile makes the next look find the build out of date.
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
  // Whatever NODE_ENV says: React built for development is slow, and three times as large.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { ok, output } = await runProgram(process.execPath, [program, ...args], { env });
  return { ok, output: cleanViteOutput(output) };
}

/** It paints whether or not there is a terminal, and ends with where in Vite the error arose, which is of no use. */
function cleanViteOutput(output) {
  return stripVTControlCharacters(output).split(/\n +at /, 1)[0];
}

/** Whole or not at all: an API that is running serves from this folder. */
function replaceWebFolder(built, old) {
  if (existsSync(WEB)) renameSync(WEB, old);
  renameSync(built, WEB);
}

/** Its own files, what it takes from the API's, and what it is built with. */
function listSources() {
  const own = ['web', 'src/client', 'src/contract', 'src/core', 'src/presentation'].flatMap(listFilesBelow);
  return [...own, 'tsconfig.json', 'package-lock.json'].sort();
}
