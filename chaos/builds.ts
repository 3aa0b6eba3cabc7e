import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '#config';
import { workflowBundle } from '#temporal/workflow-bundle';

type Change = [from: string, to: string];

/** Bugs to find: each in the workflow code that the workers run, and never in the sources. */
const PLANTS: { [name: string]: Change } = {
  'verdicts-dropped': [
    '(0, size_1.bound)(state, size_1.AFTERWARDS);',
    '{ ...(0, size_1.bound)(state, size_1.AFTERWARDS), verdicts: [] };',
  ],
  'handler-throws': [
    '(raw) => void (0, settling_1.answer)(state, raw, Date.now())',
    "(raw) => { if (String(raw?.comment).endsWith('7')) throw new Error('planted'); (0, settling_1.answer)(state, raw, Date.now()); }",
  ],
};
export const plants = Object.keys(PLANTS);

const PARK = `if (step.do === 'park')
            await (0, ask_1.park)(state);`;

/**
 * Each build does one thing more than the last before it parks, behind `patched`, newest first: what an older build has
 * parked goes on as it was. Builds only ever grow, since code that does not know a patch cannot read what was done with it.
 */
function grown(patches: string[]): Change {
  const names = JSON.stringify([...patches].reverse());
  return [
    PARK,
    `if (step.do === 'park') {
            const builtBy = ${names}.find((name) => (0, workflow_1.patched)(name));
            if (builtBy) (0, workflow_1.upsertMemo)({ builtBy });
            await (0, ask_1.park)(state);
        }`,
  ];
}

/** The workflows of the next build, in a file of their own in that folder. */
export async function createBuilds(folder: string, plant?: string) {
  const { codePath } = await workflowBundle(path.join(__dirname, '..'));
  const own = readFileSync(codePath, 'utf8');
  const planted = plant === undefined ? own : changed(own, plantNamed(plant));
  let count = 0;
  return {
    next(): { buildId: string; codePath: string } {
      const buildId = `build-${count}`;
      const patches = Array.from({ length: count }, (_, n) => `chaos-build-${n + 1}`);
      const file = path.join(folder, `${buildId}.js`);
      writeFileSync(file, count === 0 ? planted : changed(planted, grown(patches)));
      count += 1;
      return { buildId, codePath: file };
    },
  };
}

export type Builds = Awaited<ReturnType<typeof createBuilds>>;

function plantNamed(name: string): Change {
  const found = PLANTS[name];
  if (found) return found;
  throw new ConfigError(`--plant is one of: ${plants.join(', ')}.`);
}

function changed(code: string, [from, to]: Change): string {
  if (!code.includes(from))
    throw new Error(`The workflow bundle has no ${from}: bring chaos/builds.ts up to date.`);
  return code.replace(from, () => to);
}
