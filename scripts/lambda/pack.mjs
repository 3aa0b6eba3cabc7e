/** Bundles a handler with its dependencies into one folder for Lambda, without node_modules or build-only packages. */
import path from 'node:path';
import { rolldown } from 'rolldown';
import { PROJECT } from '../setup/paths.mjs';

const SDK = 'node_modules/@temporalio/worker/lib/workflow';

/**
 * Paths in the code that differ in the bundled folder. Each must be found, so that a new version that changes one is
 * noticed.
 */
const PATH_REPLACEMENTS = {
  'src/infra/temporal/codec/data-converter.ts': [
    ["require.resolve('#workflows/runtime/converters')", "require.resolve('./converters.js')"],
  ],
  [`${SDK}/threaded-vm.js`]: [
    ["require.resolve('./workflow-worker-thread')", "require.resolve('./workflow-worker-thread.js')"],
  ],
  // If the bundle is already built, this path is only compared with itself.
  [`${SDK}/bundler.js`]: [["require.resolve('../workflow-log-interceptor')", "'workflow-log-interceptor'"]],
};

/** Packages that build the workflow bundle. It is already built, and they take 60 MB. */
const BUILD_ONLY_PACKAGES = ['webpack', 'memfs', 'unionfs'];
const ABSENT_MODULE = '\0absent';

const replacePaths = {
  name: 'places',
  transform(code, id) {
    const found = PATH_REPLACEMENTS[path.relative(PROJECT, id).replaceAll(path.sep, '/')];
    if (!found) return null;
    return found.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${id} no longer contains ${from}: update scripts/lambda/pack.mjs.`);
      return text.replaceAll(from, to);
    }, code);
  },
};

const stubBuildPackages = {
  name: 'without-building',
  resolveId: (id) => (BUILD_ONLY_PACKAGES.includes(id) ? ABSENT_MODULE : null),
  load: (id) => (id === ABSENT_MODULE ? { code: 'module.exports = {};', moduleType: 'js' } : null),
};

/** Bundles `entries`, keyed by output file name, into a folder. */
export async function packFunction(entries, folder) {
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, path.join(PROJECT, file)]));
  const build = await rolldown({
    input,
    platform: 'node',
    cwd: PROJECT,
    // Resolves `imports` in package.json to the sources, not to the compiled output.
    resolve: { conditionNames: ['parley-source', 'node'] },
    // Optional dependencies of packages, which work without them.
    external: [/^@aws-lambda-powertools\//, 'bufferutil', 'utf-8-validate', 'supports-color'],
    plugins: [replacePaths, stubBuildPackages],
    // The API imports code that only a worker uses. These modules have no side effects, so what is unused is dropped.
    treeshake: {
      moduleSideEffects: [{ test: /@temporalio[\\/](worker|lambda-worker)[\\/]/, sideEffects: false }],
    },
    logLevel: 'warn',
    onLog: (level, log, handle) => (IGNORED_LOG_CODES.includes(log.code) ? undefined : handle(level, log)),
  });
  await build.write({
    dir: folder,
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
}

const IGNORED_LOG_CODES = ['EVAL', 'MISSING_EXPORT', 'COMMONJS_VARIABLE_IN_ESM'];
