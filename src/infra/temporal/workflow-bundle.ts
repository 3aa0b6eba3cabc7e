import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BundleOptions, bundleWorkflowCode } from '@temporalio/worker';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

const SOURCE_FOLDER = path.join(__dirname, '../..');

/**
 * Builds the workflow bundle, cached on disk: webpack takes seconds, and a worker should start in one. The file name
 * contains a digest of all inputs, so the cache is never stale.
 */
export async function buildWorkflowBundle(folder: string, keys?: EncryptionKeyRing): Promise<{ codePath: string }> {
  const codePath = path.join(folder, `workflow-bundle-${hashBundleSources()}${keys ? '-encrypted' : ''}.js`);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({ ...createBundleOptions(keys), logger: warningsOnlyLogger });
    // Written to a temporary file and renamed, as two workers may start at the same time.
    const tempFile = `${codePath}.${process.pid}`;
    writeFileSync(tempFile, code);
    renameSync(tempFile, codePath);
    deleteOldBundles(folder);
  }
  return { codePath };
}

/** Returns the options of a bundle. `mapPath` redirects its modules to another folder. */
export function createBundleOptions(keys?: EncryptionKeyRing, mapPath = (file: string) => file) {
  return {
    workflowsPath: mapPath(require.resolve('#workflows/index')),
    payloadConverterPath: mapPath(require.resolve('#workflows/runtime/converters')),
    workflowInterceptorModules: [
      mapPath(require.resolve('#workflows/runtime/reject-premature-query')),
      mapPath(require.resolve('#workflows/runtime/tracing')),
    ],
    ...(keys ? { failureConverterPath: mapPath(require.resolve('#workflows/runtime/converters')) } : {}),
    // Code that runs from sources, as in tests, is bundled from sources too: see `imports` in package.json.
    webpackConfigHook: (config: WebpackConfig) => ({
      ...config,
      resolve: {
        ...config.resolve,
        conditionNames: [...(__filename.endsWith('.ts') ? ['parley-source'] : []), '...'],
      },
    }),
    // Loaded once for all runs: the modules hold no state of a run. See docs/internals/performance.md.
    preloadModules: [mapPath(require.resolve('#workflows/index'))],
  };
}

const MAX_BUNDLE_AGE_MS = 7 * 24 * 3_600_000;

function deleteOldBundles(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.startsWith('workflow-bundle-'))) {
    const bundlePath = path.join(folder, file);
    if (Date.now() - statSync(bundlePath).mtimeMs > MAX_BUNDLE_AGE_MS) rmSync(bundlePath, { force: true });
  }
}

const noop = () => undefined;
const warningsOnlyLogger = {
  log: noop,
  trace: noop,
  debug: noop,
  info: noop,
  warn: console.warn,
  error: console.error,
};

function hashBundleSources(): string {
  const hash = createHash('sha256');
  for (const file of [__filename, require.resolve('re2js'), require.resolve('@noble/hashes/sha2.js')])
    hash.update(readFileSync(file));
  for (const folder of ['core', 'workflows']) {
    const files = readdirSync(path.join(SOURCE_FOLDER, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.[jt]s$/.test(name)).sort())
      hash.update(file).update(readFileSync(path.join(SOURCE_FOLDER, folder, file)));
  }
  return hash.update(require('@temporalio/workflow/package.json').version).digest('hex').slice(0, 16);
}
