import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BundleOptions, bundleWorkflowCode } from '@temporalio/worker';
import type { Keys } from '#contract/encryption';

type Webpack = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

const SOURCE = path.join(__dirname, '..');

/**
 * The workflow bundle, made once for this very code and kept: webpack takes seconds, and a worker should start in one.
 * Its name is the digest of everything that goes into it, so it can never be stale.
 */
export async function workflowBundle(folder: string, keys?: Keys): Promise<{ codePath: string }> {
  const codePath = path.join(folder, `workflow-bundle-${digest()}${keys ? '-encrypted' : ''}.js`);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({ ...bundled(keys), logger: quiet });
    // Written aside and renamed: two workers may start at once.
    const unfinished = `${codePath}.${process.pid}`;
    writeFileSync(unfinished, code);
    renameSync(unfinished, codePath);
    sweep(folder);
  }
  return { codePath };
}

/** What goes into a bundle; of another place, where `place` says which. */
export function bundled(keys?: Keys, place = (file: string) => file) {
  return {
    workflowsPath: place(require.resolve('#workflows/index')),
    payloadConverterPath: place(require.resolve('#workflows/payload-converter')),
    workflowInterceptorModules: [
      place(require.resolve('#workflows/unbegun')),
      place(require.resolve('#workflows/tracing')),
    ],
    ...(keys ? { failureConverterPath: place(require.resolve('#workflows/failure-converter')) } : {}),
    // Code that runs from its sources, as in tests, is bundled from them too: see `imports` in package.json.
    webpackConfigHook: (config: Webpack) => ({
      ...config,
      resolve: {
        ...config.resolve,
        conditionNames: [...(__filename.endsWith('.ts') ? ['parley-source'] : []), '...'],
      },
    }),
    // Once for all runs, and not anew for each: none of it keeps anything of a run. See docs/performance.md.
    preloadModules: [place(require.resolve('#workflows/index'))],
  };
}

const KEPT_MS = 7 * 24 * 3_600_000;

/** Bundles of code that is no more. */
function sweep(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.startsWith('workflow-bundle-'))) {
    const old = path.join(folder, file);
    if (Date.now() - statSync(old).mtimeMs > KEPT_MS) rmSync(old, { force: true });
  }
}

const ignore = () => undefined;
const quiet = {
  log: ignore,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: console.warn,
  error: console.error,
};

function digest(): string {
  const hash = createHash('sha256');
  for (const file of [__filename, require.resolve('re2js')]) hash.update(readFileSync(file));
  for (const folder of ['core', 'workflows']) {
    for (const file of readdirSync(path.join(SOURCE, folder)).sort()) {
      if (/\.[jt]s$/.test(file)) hash.update(file).update(readFileSync(path.join(SOURCE, folder, file)));
    }
  }
  return hash.update(require('@temporalio/workflow/package.json').version).digest('hex').slice(0, 16);
}
