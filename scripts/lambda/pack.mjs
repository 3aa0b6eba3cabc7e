/** Packs a handler with all it needs into one folder, as Lambda takes it: no node_modules, and nothing that is only for building. */
import path from 'node:path';
import { rolldown } from 'rolldown';
import { PROJECT } from '../setup/paths.mjs';

const SDK = 'node_modules/@temporalio/worker/lib/workflow';

/** What the code finds by its place, which in the folder is another. Each has to be there: if a new version reads otherwise, we want to know. */
const PATH_REPLACEMENTS = {
  'src/infra/temporal/codec/data-converter.ts': [
    ["require.resolve('#workflows/runtime/converters')", "require.resolve('./converters.js')"],
  ],
  [`${SDK}/threaded-vm.js`]: [
    ["require.resolve('./workflow-worker-thread')", "require.resolve('./workflow-worker-thread.js')"],
  ],
  // Only compared with itself where the bundle is made already.
  [`${SDK}/bundler.js`]: [["require.resolve('../workflow-log-interceptor')", "'workflow-log-interceptor'"]],
};

/** What makes the workflow bundle. It is made already, and these are 60 MB. */
const BUILD_ONLY_PACKAGES = ['webpack', 'memfs', 'unionfs'];
const ABSENT_MODULE = '\0absent';

const replacePaths = {
  name: 'places',
  transform(code, id) {
    const found = PATH_REPLACEMENTS[path.relative(PROJECT, id).replaceAll(path.sep, '/')];
    if (!found) return null;
    return found.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${id} has no ${from} any more: see scripts/lambda/pack.mjs.`);
      return text.replaceAll(from, to);
    }, code);
  },
};

const stubBuildPackages = {
  name: 'without-building',
  resolveId: (id) => (BUILD_ONLY_PACKAGES.includes(id) ? ABSENT_MODULE : null),
  load: (id) => (id === ABSENT_MODULE ? { code: 'module.exports = {};', moduleType: 'js' } : null),
};

/** `entries` by the names their files get. Gives the size of what was written. */
export async function packFunction(entries, folder) {
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, path.join(PROJECT, file)]));
  const build = await rolldown({
    input,
    platform: 'node',
    cwd: PROJECT,
    // `imports` in package.json: the sources, not what was compiled from them.
    resolve: { conditionNames: ['parley-source', 'node'] },
    // Optional ones of packages, which those try in vain everywhere.
    external: [/^@aws-lambda-powertools\//, 'bufferutil', 'utf-8-validate', 'supports-color'],
    plugins: [replacePaths, stubBuildPackages],
    // The API names what only a worker uses. Nothing of it is needed for having been loaded.
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
