/** Building programs with Go into the cache, where they cannot be downloaded. */
import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { lastLines, run } from '../exec.mjs';
import { during, Failure, say } from '../log.mjs';
import { inPartialFolder } from '../paths.mjs';
import { findOnPath } from '../tools/find-temporal.mjs';
import { downloadCounter, packageCounter, requirementsIn, withoutPackages } from './go-progress.mjs';

export function findGo() {
  return findOnPath('go');
}

let last = Promise.resolve();

/**
 * Builds programs of one module. Each is `{folder, built, kept, isIt}`: its folder in the module, its name as Go builds it
 * and in the cache, and whether a file is it. Resolves to the files, or throws with the ways out. One build at a time: two
 * would compile the packages they share twice.
 */
export function buildWithGo(wanted) {
  const files = last.then(() => buildNow(wanted));
  last = files.catch(() => {});
  return files;
}

async function buildNow({ what, module, version, programs, cache, waysOut }) {
  const go = findGo();
  if (!go) throw new Failure(`There is no ${what} here, and no Go to build one with.\n\n${waysOut}`);
  return inPartialFolder(cache, async (folder) => {
    const folders = programs.map((program) => program.folder);
    const stale = await getSources({ go, what, module, version, folders });
    const sources = folders.map((each) => `${module}/${each}@${version}`);
    const { ok, output } = await during(`Building the ${what} with Go`, (tell) => {
      const count = packageCounter(stale);
      const hear = (chunk) => tell(count(chunk));
      hear('');
      return run(go, ['install', '-v', ...sources], { env: goEnvironment({ GOBIN: folder }), hear });
    });
    const built = await Promise.all(programs.map(({ built, isIt }) => isIt(path.join(folder, built))));
    if (!ok || !built.every(Boolean)) {
      const reason = lastLines(withoutPackages(output, stale));
      throw new Failure(`Go could not build the ${what}:\n\n${reason}\n\n${waysOut}`);
    }
    say(`The ${what} is kept in ${cache} for the next time.`);
    return programs.map(({ built, kept }) => {
      renameSync(path.join(folder, built), path.join(cache, kept));
      return path.join(cache, kept);
    });
  });
}

/**
 * Downloads the modules and resolves to the packages that have to be compiled. Undefined where Go does not say: then the
 * build has no total, and says itself what is wrong. `go list` takes no package@version, so it runs in the module's folder.
 */
async function getSources({ go, what, module, version, folders }) {
  const { stale } = await during(`Downloading the source of the ${what}`, async (tell) => {
    const got = await run(go, ['mod', 'download', '-json', `${module}@${version}`], { env: goEnvironment() });
    const { Dir: cwd, GoMod: file } = parsed(got.output);
    if (!cwd || !file) return { ok: false };
    const count = downloadCounter(requirementsIn(readFileSync(file, 'utf8')));
    const hear = (chunk) => tell(count(chunk));
    const args = ['list', '-deps', '-f', '{{if .Stale}}stale {{.ImportPath}}{{end}}'];
    const packages = folders.map((each) => `./${each}`);
    // A workspace of somebody else's must not change which packages these are.
    const env = goEnvironment({ GOWORK: 'off' });
    const { ok, output } = await run(go, [...args, ...packages], { cwd, env, hear });
    if (!ok) return { ok };
    return { ok, stale: new Set([...output.matchAll(/^stale (.+)$/gm)].map(([, name]) => name)) };
  });
  return stale;
}

/** Go writes what it downloads on stderr, before or between the JSON. */
function parsed(output) {
  try {
    return JSON.parse(/^\{[\s\S]*^\}/m.exec(output)?.[0] ?? '{}');
  } catch {
    return {};
  }
}

function goEnvironment(more = {}) {
  // Go refuses GOBIN when it is set to build for another machine.
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  return { ...env, ...more };
}
