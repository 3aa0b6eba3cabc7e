import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workflowBundle } from '#temporal/workflow-bundle';
import { testKeys } from './encryption';

const DIST = path.join(__dirname, '../../dist');

/** What a build does at each park and at each end more than this one. */
interface Changes {
  park: (workflow: string) => string;
  end?: (workflow: string) => string;
}

/** One more command: a memo that says who wrote it. */
const mark = (workflow: string) => `(0,${workflow}.upsertMemo)({ builtBy: 'b' });`;
const patched = (name: string) => (workflow: string) =>
  `if ((0,${workflow}.patched)('${name}')) ${mark(workflow)}`;

/** Behind `patched`: conversations that parked without it go on without it. */
export const CAREFUL: Changes = { park: patched('marks-the-park'), end: patched('marks-the-end') };

/** And not: those that parked without it would do something else than they did. */
export const CARELESS: Changes = { park: mark };

/** As the bundle has them. */
const PARK = /if \(step\.do === 'park'\) (await [^;]+\.park\)\(state\);)/;
const END = /if \(step\.do === 'end'\) \{/;
/** What the module with the main loop calls Temporal's package by. */
const WORKFLOW = /_temporalio_workflow__WEBPACK_IMPORTED_MODULE_\d+__/g;

/** The workflows of a build that does something more than this one. The bundle is changed, and not made anew: that takes seconds. */
export async function anotherBuild(changes: Changes): Promise<{ codePath: string; remove(): void }> {
  const { codePath: own } = await workflowBundle(DIST, testKeys());
  const text = readFileSync(own, 'utf8');
  const [workflow] = text.slice(0, text.search(PARK)).match(WORKFLOW)?.slice(-1) ?? [];
  if (!workflow || !END.test(text))
    throw new Error(`${own} has no main loop as it was: bring test/support/another-build.ts up to date`);
  const changed = text
    .replace(PARK, (_, park) => `if (step.do === 'park') { ${changes.park(workflow)} ${park} }`)
    .replace(END, (end) => `${end} ${changes.end?.(workflow) ?? ''}`);
  const folder = mkdtempSync(path.join(DIST, 'another-build-'));
  const codePath = path.join(folder, 'workflow-bundle.js');
  writeFileSync(codePath, changed);
  return { codePath, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
