/** TypeScript into dist/, when a source has changed since the last build. */
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

/** Compile and remember what was compiled. Resolves to {ok, output}: a compile error is no surprise in `npm run dev`. */
export async function compileServer() {
  const files = listSources();
  // Taken before the compiler reads them: a file saved meanwhile makes the next look find the build out of date.
  const sourceHash = hashFiles(files);
  const { files: previousFiles } = readStamp();
  if (!previousFiles) clearOutput();
  const tsc = path.join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
  // Whole or not at all: a half-emitted dist/ would run under whoever starts next.
  const { ok, output } = await runProgram(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noEmitOnError']);
  if (ok) {
    removeOutputOf(previousFiles?.filter((file) => !files.includes(file)) ?? []);
    mkdirSync(DIST, { recursive: true });
    writeFileSync(STAMP, JSON.stringify({ hash: sourceHash, files }));
  }
  return { ok, output };
}

/** What we do not know the origin of goes; and the compiler's own record with it, or it would write nothing. */
function clearOutput() {
  for (const name of ['src', 'worker.js', 'worker.js.map', '.tsbuildinfo']) {
    rmSync(path.join(DIST, name), { recursive: true, force: true });
  }
}

/** After the build, not before: one that fails leaves what was there, which may be running. */
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
