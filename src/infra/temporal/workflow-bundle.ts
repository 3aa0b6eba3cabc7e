import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BundleOptions, bundleWorkflowCode } from '@temporalio/worker';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

const SOURCE_FOLDER = path.join(__dirname, '../..');

/**
 * The workflow bundle, made once for this very code and kept: webpack takes seconds, and a worker should start in one.
 * Its name is the digest of everything that goes into it, so it can never be stale.
 */
export async function buildWorkflowBundle(folder: string, keys?: EncryptionKeyRing): Promise<{ codePath: string }> {
  const codePath = path.join(folder, `workflow-bundle-${hashBundleSources()}${keys ? '-encrypted' : ''}.js`);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({ ...createBundleOptions(keys), logger: warningsOnlyLogger });
    // Written aside and renamed: two workers may start at once.
    const unfinished = `${codePath}.${process.pid}`;
    writeFileSync(unfinished, code);
    renameSync(unfinished, codePath);
    deleteOldBundles(folder);
  }
  return { codePath };
}

/** What goes into a bundle; of another place, where `place` says which. */
export function createBundleOptions(keys?: EncryptionKeyRing, place = (file: string) => file) {
  return {
    workflowsPath: place(require.resolve('#workflows/index')),
    payloadConverterPath: place(require.resolve('#workflows/runtime/converters')),
    workflowInterceptorModules: [
      place(require.resolve('#workflows/runtime/reject-premature-query')),
      place(require.resolve('#workflows/runtime/tracing')),
    ],
    ...(keys ? { failureConverterPath: place(require.resolve('#workflows/runtime/converters')) } : {}),
    // Code that runs from its sources, as in tests, is bundled from them too: see `imports` in package.json.
    webpackConfigHook: (config: WebpackConfig) => ({
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

const MAX_BUNDLE_AGE_MS = 7 * 24 * 3_600_000;

/** Bundles of code that is no more. */
function deleteOldBundles(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.startsWith('workflow-bundle-'))) {
    const old = path.join(folder, file);
    if (Date.now() - statSync(old).mtimeMs > MAX_BUNDLE_AGE_MS) rmSync(old, { force: true });
  }
}

const discard = () => undefined;
const warningsOnlyLogger = {
  log: discard,
  trace: discard,
  debug: discard,
  info: discard,
  warn: console.warn,
  error: console.error,
};

function hashBundleSources(): string {
  const hash = createHash('sha256');
  for (const file of [__filename, require.resolve('re2js')]) hash.update(readFileSync(file));
  for (const folder of ['core', 'workflows']) {
    const files = readdirSync(path.join(SOURCE_FOLDER, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.[jt]s$/.test(name)).sort())
      hash.update(file).update(readFileSync(path.join(SOURCE_FOLDER, folder, file)));
  }
  return hash.update(require('@temporalio/workflow/package.json').version).digest('hex').slice(0, 16);
}
