/** Builds programs with Go into the cache when they cannot be downloaded. */
import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { lastLines, runProgram } from '../exec.mjs';
import { print, SetupError, withProgress } from '../log.mjs';
import { inTemporaryFolder } from '../paths.mjs';
import { findOnPath } from '../tools/find-temporal.mjs';
import { countRequirements, createDownloadCounter, createPackageCounter, removePackageLines } from './go-progress.mjs';

export function findGo() {
  return findOnPath('go');
}

let lastBuild = Promise.resolve();

/**
 * Builds programs of one module. Each is `{folder, builtName, cachedName, isProgram}`: its folder in the module, its
 * file name as built by Go and in the cache, and a check that a file is the program. Resolves to the files, or throws
 * an error that lists the alternatives. Runs one build at a time, because two would compile their shared packages
 * twice.
 */
export function buildWithGo(options) {
  const files = lastBuild.then(() => runBuild(options));
  lastBuild = files.catch(() => {});
  return files;
}

async function runBuild({ what, module, version, programs, cache, installHint }) {
  const go = findGo();
  if (!go) throw new SetupError(`${what} not found, and Go is not installed to build it.\n\n${installHint}`);
  return inTemporaryFolder(cache, async (folder) => {
    const folders = programs.map((program) => program.folder);
    const stale = await downloadSources({ go, what, module, version, folders });
    const sources = folders.map((each) => `${module}/${each}@${version}`);
    const { ok, output } = await withProgress(`Building ${what} with Go`, (onProgress) => {
      const count = createPackageCounter(stale);
      const onOutput = (chunk) => onProgress(count(chunk));
      onOutput('');
      return runProgram(go, ['install', '-v', ...sources], { env: goEnvironment({ GOBIN: folder }), onOutput });
    });
    const areBuilt = await Promise.all(
      programs.map(({ builtName, isProgram }) => isProgram(path.join(folder, builtName))),
    );
    if (!ok || !areBuilt.every(Boolean)) {
      const reason = lastLines(removePackageLines(output, stale));
      throw new SetupError(`Go could not build ${what}:\n\n${reason}\n\n${installHint}`);
    }
    print(`Saved ${what} in ${cache} for next time.`);
    return programs.map(({ builtName, cachedName }) => {
      renameSync(path.join(folder, builtName), path.join(cache, cachedName));
      return path.join(cache, cachedName);
    });
  });
}

/**
 * Downloads the modules and resolves to the packages to compile. Undefined if Go does not report them: the build then
 * has no total, and reports its own errors. `go list` does not accept package@version, so it runs in the module's
 * folder.
 */
async function downloadSources({ go, what, module, version, folders }) {
  const { stale } = await withProgress(`Downloading the source of ${what}`, async (onProgress) => {
    const download = await runProgram(go, ['mod', 'download', '-json', `${module}@${version}`], {
      env: goEnvironment(),
    });
    const { Dir: cwd, GoMod: file } = parseJsonOutput(download.output);
    if (!cwd || !file) return { ok: false };
    const count = createDownloadCounter(countRequirements(readFileSync(file, 'utf8')));
    const onOutput = (chunk) => onProgress(count(chunk));
    const args = ['list', '-deps', '-f', '{{if .Stale}}stale {{.ImportPath}}{{end}}'];
    const packages = folders.map((each) => `./${each}`);
    // An unrelated Go workspace must not change which packages these are.
    const env = goEnvironment({ GOWORK: 'off' });
    const { ok, output } = await runProgram(go, [...args, ...packages], { cwd, env, onOutput });
    if (!ok) return { ok };
    return { ok, stale: new Set([...output.matchAll(/^stale (.+)$/gm)].map(([, name]) => name)) };
  });
  return stale;
}

/** Parses Go's JSON. Go writes its downloads to stderr, before or between the JSON. */
function parseJsonOutput(output) {
  try {
    return JSON.parse(/^\{[\s\S]*^\}/m.exec(output)?.[0] ?? '{}');
  } catch {
    return {};
  }
}

function goEnvironment(overrides = {}) {
  // Go rejects GOBIN when it is set to build for another platform.
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  return { ...env, ...overrides };
}
