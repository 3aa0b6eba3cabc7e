/** Compiles TypeScript into dist/ if a source has changed since the last build. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../exec.mjs';
import { SetupError, withProgress } from '../log.mjs';
import { PROJECT } from '../paths.mjs';
import { hashFiles, listFilesBelow } from './source-hash.mjs';

const DIST = path.join(PROJECT, 'dist');
const STAMP = path.join(DIST, '.built');

export function isServerBuilt() {
  return readStamp().hash === hashFiles(listSources());
}

export async function buildServer() {
  const { ok, output } = await withProgress('Building Parley', compileServer);
  if (!ok) throw new SetupError(`The build failed:\n\n${output.trimEnd()}`);
}

/** Compiles and records the sources. Resolves to {ok, output}, because compile errors are expected in `npm run dev`. */
export async function compileServer() {
  const files = listSources();
  // Computed before the compiler reads the sources: if a file is saved meanwhile, the next check finds the build out of
  // date.
  const sourceHash = hashFiles(files);
  const { files: previousFiles } = readStamp();
  if (!previousFiles) clearOutput();
  const tsc = path.join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
  // All or nothing, because the next process to start would run a partly written dist/.
  const { ok, output } = await runProgram(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noEmitOnError']);
  if (ok) {
    removeOutputOf(previousFiles?.filter((file) => !files.includes(file)) ?? []);
    mkdirSync(DIST, { recursive: true });
    writeFileSync(STAMP, JSON.stringify({ hash: sourceHash, files }));
  }
  return { ok, output };
}

/** Deletes output of unknown origin, and the incremental state, because with it the compiler would write nothing. */
function clearOutput() {
  for (const name of ['src', 'worker.js', 'worker.js.map', '.tsbuildinfo']) {
    rmSync(path.join(DIST, name), { recursive: true, force: true });
  }
}

/**
 * Deletes the output of deleted sources. Runs after the build, because a failed build must leave the old output, which
 * may be running.
 */
function removeOutputOf(deleted) {
  for (const file of deleted) {
    const output = path.join(DIST, file.replace(/\.ts$/, '.js'));
    for (const each of [output, `${output}.map`]) rmSync(each, { force: true });
  }
}

function listSources() {
  const others = readdirSync(PROJECT).filter((name) => /^(worker\.ts|tsconfig.*\.json|package-lock\.json)$/.test(name));
  return [...listFilesBelow('src'), ...others].sort();
}

function readStamp() {
  if (!existsSync(STAMP)) return {};
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return {};
  }
}
