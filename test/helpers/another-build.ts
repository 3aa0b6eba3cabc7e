import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

const PROJECT = path.join(__dirname, '../..');
const ignore = () => undefined;
const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The workflows of a build whose source differs from this one's: in those words of that file, to those. */
export async function anotherBuild(
  file: string,
  changes: [from: string, to: string][],
): Promise<{ codePath: string; remove(): void }> {
  // Below the project, so that packages are found.
  const folder = mkdtempSync(path.join(PROJECT, 'dist', 'another-build-'));
  for (const part of ['core', 'workflows', 'contract'])
    cpSync(path.join(PROJECT, 'src', part), path.join(folder, 'src', part), { recursive: true });
  const changed = path.join(folder, 'src', file);
  let text = readFileSync(changed, 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    text = text.replace(from, to);
  }
  writeFileSync(changed, text);
  const source = (name: string) => path.join(folder, 'src', name);
  const { code } = await bundleWorkflowCode({
    workflowsPath: source('workflows/index.ts'),
    payloadConverterPath: source('workflows/payload-converter.ts'),
    preloadModules: [source('core/pattern.ts')],
    logger,
  });
  const codePath = path.join(folder, 'workflow-bundle.js');
  writeFileSync(codePath, code);
  return { codePath, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
