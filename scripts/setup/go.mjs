/** Building programs with Go into the cache, where they are not to be had otherwise. */
import { renameSync } from 'node:fs';
import path from 'node:path';
import { findOnPath } from './find.mjs';
import { inPartialFolder } from './places.mjs';
import { lastLines, run } from './run.mjs';
import { during, Failure, say } from './say.mjs';

/**
 * Each program is `{source, built, kept, isIt}`: its package, what Go calls it, what it is called in the cache, and
 * whether a file is it. Resolves to the files, or throws with the ways out.
 */
export async function buildWithGo({ what, minutes, programs, cache, waysOut }) {
  const go = findOnPath('go');
  if (!go) throw new Failure(`There is no ${what} here, and no Go to build one with.\n\n${waysOut}`);
  return inPartialFolder(cache, async (folder) => {
    const sources = programs.map(({ source }) => source);
    const { ok, output } = await during(`Building the ${what} with Go, once: about ${minutes} minutes`, () =>
      run(go, ['install', ...sources], { env: goEnvironment(folder) }),
    );
    const built = await Promise.all(programs.map(({ built, isIt }) => isIt(path.join(folder, built))));
    if (!ok || !built.every(Boolean)) {
      throw new Failure(`Go could not build the ${what}:\n\n${lastLines(output)}\n\n${waysOut}`);
    }
    say(`  Kept in ${cache} for the next time.`);
    return programs.map(({ built, kept }) => {
      renameSync(path.join(folder, built), path.join(cache, kept));
      return path.join(cache, kept);
    });
  });
}

function goEnvironment(folder) {
  // Go refuses GOBIN when it is set to build for another machine.
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  return { ...env, GOBIN: folder };
}
