import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from '@swc/core';
import { bundleWorkflowCode } from '@temporalio/worker';
import { bundled } from '../../src/temporal/workflow-bundle';
import { testKeys } from './encryption';

const PROJECT = path.join(__dirname, '../..');
const ignore = () => undefined;
const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

export type Changes = [from: string, to: string][];

/** One more command before each park. */
const PARK = "if (step.do === 'park') await park(state);";
const MARKED = "upsertMemo({ builtBy: 'b' });";
const END = "if (step.do === 'end') {";
const imported = (names: string): Changes[0] => [
  'ApplicationFailure, CancellationScope,',
  `ApplicationFailure, ${names}, CancellationScope,`,
];

/** Behind `patched`: conversations that parked without it go on without it. */
export const CAREFUL: Changes = [
  imported('patched, upsertMemo'),
  [END, `if (step.do === 'end' && patched('marks-the-end')) ${MARKED}\n    ${END}`],
  [PARK, `if (step.do === 'park') { if (patched('marks-the-park')) ${MARKED} await park(state); }`],
];

/** And not: those that parked without it would do something else than they did. */
export const CARELESS: Changes = [
  imported('upsertMemo'),
  [PARK, `if (step.do === 'park') { ${MARKED} await park(state); }`],
];

const CHANGED = 'workflows/conversation';

function changed(changes: Changes): string {
  let text = readFileSync(path.join(PROJECT, 'src', `${CHANGED}.ts`), 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${CHANGED}.ts has no ${from}`);
    text = text.replace(from, to);
  }
  return text;
}

/** Below the project, so that packages are found. */
function folderBelow(): { folder: string; remove(): void } {
  const folder = mkdtempSync(path.join(PROJECT, 'dist', 'another-build-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The workflows of a build whose source differs from this one's in those words. */
export async function anotherBuild(changes: Changes): Promise<{ codePath: string; remove(): void }> {
  const { folder, remove } = folderBelow();
  const source = (name: string) => path.join(folder, 'src', name);
  for (const part of ['core', 'workflows', 'contract'])
    cpSync(path.join(PROJECT, 'src', part), source(part), { recursive: true });
  writeFileSync(source(`${CHANGED}.ts`), changed(changes));
  const place = (file: string) => source(path.relative(path.join(PROJECT, 'src'), file));
  const { code } = await bundleWorkflowCode({ ...bundled(testKeys(), place), logger });
  const codePath = path.join(folder, 'workflow-bundle.js');
  writeFileSync(codePath, code);
  return { codePath, remove };
}

/** The whole of such a build, to run its commands: its folder, as seen from the project's. */
export function anotherProject(changes: Changes): { folder: string; remove(): void } {
  const { folder, remove } = folderBelow();
  cpSync(path.join(PROJECT, 'package.json'), path.join(folder, 'package.json'));
  cpSync(path.join(PROJECT, 'dist', 'src'), path.join(folder, 'dist', 'src'), { recursive: true });
  const { code } = transformSync(changed(changes), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  writeFileSync(path.join(folder, 'dist', 'src', `${CHANGED}.js`), code);
  return { folder: path.relative(PROJECT, folder), remove };
}
