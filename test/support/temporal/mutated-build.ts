import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';
import { readTestEncryptionKeys } from '#test/support/parley/encryption';

const DIST = path.join(__dirname, '../../../dist');

/** Additional commands of a build at each park and each end. */
interface BuildChanges {
  park: (workflow: string) => string;
  end?: (workflow: string) => string;
}

/** An additional command: a memo with the build's name. */
const upsertMarkCode = (workflow: string) => `(0,${workflow}.upsertMemo)({ builtBy: 'b' });`;
const behindPatch = (name: string) => (workflow: string) =>
  `if ((0,${workflow}.patched)('${name}')) ${upsertMarkCode(workflow)}`;

/** Guarded by `patched`: conversations that parked without it continue without it. */
export const PATCHED_CHANGES: BuildChanges = {
  park: behindPatch('marks-the-park'),
  end: behindPatch('marks-the-end'),
};

/** Not guarded: replaying conversations that parked without it fails. */
export const UNPATCHED_CHANGES: BuildChanges = { park: upsertMarkCode };

/** The code in the bundle. */
const PARK_STEP = /if \(step\.do === 'park'\) (await [^;]+\.parkUntilChange\)\([^;]*\);)/;
const END_STEP = /if \(step\.do === 'end'\) \{/;
/** The bundle's name for Temporal's package in the module with the main loop. */
const WORKFLOW_MODULE = /_temporalio_workflow__WEBPACK_IMPORTED_MODULE_\d+__/g;

/** Creates a bundle with additional commands. Edits the bundle instead of rebuilding it, which takes seconds. */
export async function createMutatedBuild(changes: BuildChanges): Promise<{ codePath: string; remove(): void }> {
  const { codePath: bundlePath } = await buildWorkflowBundle(DIST, readTestEncryptionKeys());
  const text = readFileSync(bundlePath, 'utf8');
  const [workflow] = text.slice(0, text.search(PARK_STEP)).match(WORKFLOW_MODULE)?.slice(-1) ?? [];
  if (!workflow || !END_STEP.test(text))
    throw new Error(
      `${bundlePath} has no main loop as it was: bring test/support/temporal/mutated-build.ts up to date`,
    );
  const mutated = text
    .replace(PARK_STEP, (_, park) => `if (step.do === 'park') { ${changes.park(workflow)} ${park} }`)
    .replace(END_STEP, (end) => `${end} ${changes.end?.(workflow) ?? ''}`);
  const folder = mkdtempSync(path.join(DIST, 'another-build-'));
  const codePath = path.join(folder, 'workflow-bundle.js');
  writeFileSync(codePath, mutated);
  return { codePath, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
