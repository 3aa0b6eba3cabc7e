import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '#infra/config';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';

type CodeChange = [from: string | RegExp, to: string];

/** Bugs for the checks to find. They are planted in the bundle that the workers run, never in the sources. */
const PLANTED_BUGS: { [name: string]: CodeChange } = {
  'verdicts-dropped': [
    '(0, size_limit_1.enforceSizeLimit)(state, size_limit_1.CONTINUED_STATE_BYTES);',
    '{ ...(0, size_limit_1.enforceSizeLimit)(state, size_limit_1.CONTINUED_STATE_BYTES), messageResults: [] };',
  ],
  'handler-throws': [
    '(raw) => void (0, resolve_1.applyAnswer)(state, raw, Date.now())',
    "(raw) => { if (String(raw?.comment).endsWith('7')) throw new Error('planted'); (0, resolve_1.applyAnswer)(state, raw, Date.now()); }",
  ],
};
export const plantedBugNames = Object.keys(PLANTED_BUGS);

const PARK_CODE = /if \(step\.do === 'park'\)\s*(await \(0, park_1\.parkUntilChange\)\([^;]*\);)/;

/**
 * Makes each build do one more thing before parking, guarded by `patched`, newest first, so that conversations parked
 * by an older build continue unchanged. Builds only add patches, since code that does not know a patch cannot replay
 * it.
 */
function addPatches(patches: string[]): CodeChange {
  const names = JSON.stringify([...patches].reverse());
  return [
    PARK_CODE,
    `if (step.do === 'park') {
            const builtBy = ${names}.find((name) => (0, workflow_1.patched)(name));
            if (builtBy) (0, workflow_1.upsertMemo)({ builtBy });
            $1
        }`,
  ];
}

/** Creates the bundles of successive builds, each in a separate file of the folder. */
export async function createBuildSequence(folder: string, plant?: string) {
  const { codePath } = await buildWorkflowBundle(path.join(__dirname, '../..'));
  const bundle = readFileSync(codePath, 'utf8');
  const planted = plant === undefined ? bundle : replaceCode(bundle, findPlantedBug(plant));
  let count = 0;
  return {
    next(): { buildId: string; codePath: string } {
      const buildId = `build-${count}`;
      const patches = Array.from({ length: count }, (_, n) => `chaos-build-${n + 1}`);
      const file = path.join(folder, `${buildId}.js`);
      writeFileSync(file, count === 0 ? planted : replaceCode(planted, addPatches(patches)));
      count += 1;
      return { buildId, codePath: file };
    },
  };
}

export type BuildSequence = Awaited<ReturnType<typeof createBuildSequence>>;

function findPlantedBug(name: string): CodeChange {
  const found = PLANTED_BUGS[name];
  if (found) return found;
  throw new ConfigError(`--plant must be one of: ${plantedBugNames.join(', ')}.`);
}

function replaceCode(code: string, [from, to]: CodeChange): string {
  const changed = code.replace(from, to);
  if (changed === code)
    throw new Error(`The workflow bundle does not contain ${from}: update chaos/cluster/mutated-builds.ts.`);
  return changed;
}
