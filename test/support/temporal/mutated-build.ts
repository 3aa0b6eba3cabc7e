import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';
import { readTestEncryptionKeys } from '#test/support/parley/encryption';

const DIST = path.join(__dirname, '../../../dist');

/** What a build does at each park and at each end more than this one. */
interface BuildChanges {
  park: (workflow: string) => string;
  end?: (workflow: string) => string;
}

/** One more command: a memo that says who wrote it. */
const upsertMarkCode = (workflow: string) => `(0,${workflow}.upsertMemo)({ builtBy: 'b' });`;
const behindPatch = (name: string) => (workflow: string) =>
  `if ((0,${workflow}.patched)('${name}')) ${upsertMarkCode(workflow)}`;

/** Behind `patched`: conversations that parked without it go on without it. */
export const PATCHED_CHANGES: BuildChanges = {
  park: behindPatch('marks-the-park'),
  end: behindPatch('marks-the-end'),
};

/** And not: those that parked without it would do something else than they did. */
export const UNPATCHED_CHANGES: BuildChanges = { park: upsertMarkCode };

/** As the bundle has them. */
const PARK_STEP = /if \(step\.do === 'park'\) (await [^;]+\.parkUntilChange\)\(state\);)/;
const END_STEP = /if \(step\.do === 'end'\) \{/;
/** What the module with the main loop calls Temporal's package by. */
const WORKFLOW_MODULE = /_temporalio_workflow__WEBPACK_IMPORTED_MODULE_\d+__/g;

/** The workflows of a build that does something more than this one. The bundle is changed, and not made anew: that takes seconds. */
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
