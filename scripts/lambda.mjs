/** Builds the two functions into dist/lambda, ready for `sam deploy`, and reports their size and cold start time. */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { MAX_UNZIPPED_BYTES, measureColdStart, measureSize } from './lambda/measure.mjs';
import { packFunction } from './lambda/pack.mjs';
import { exitWithError, print, SetupError } from './setup/log.mjs';
import { inTemporaryFolder, PROJECT } from './setup/paths.mjs';

const USAGE = `Builds Parley's two AWS Lambda functions into dist/lambda. See deploy/lambda/README.md.

  npm run lambda                 for x86_64
  npm run lambda -- --arch arm64
  npm run lambda -- --no-measure without measuring the start-up time`;

const CORE_TARGETS = { x86_64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' };
const HOST_ARCH = { x64: 'x86_64', arm64: 'arm64' }[process.arch];

const SDK = 'node_modules/@temporalio/worker/lib/workflow';
const FUNCTIONS = {
  api: {
    index: 'src/lambda/api.ts',
    converters: 'src/workflows/runtime/converters.ts',
  },
  worker: {
    index: 'src/lambda/worker.ts',
    converters: 'src/workflows/runtime/converters.ts',
    'workflow-worker-thread': `${SDK}/workflow-worker-thread.js`,
  },
};

const inProject = (...parts) => path.join(PROJECT, ...parts);
const require = createRequire(import.meta.url);

/** Copies the files that a function needs besides its code. */
const ASSETS = {
  async api(folder) {
    cpSync(inProject('agents'), path.join(folder, 'agents'), { recursive: true });
    cpSync(inProject('dist/web'), path.join(folder, 'dist/web'), { recursive: true });
  },
  async worker(folder, arch) {
    const core = path.join('releases', CORE_TARGETS[arch], 'index.node');
    cpSync(inProject('node_modules/@temporalio/core-bridge', core), path.join(folder, core));
    const sourceMap = createRequire(inProject('node_modules/@temporalio/worker/package.json')).resolve('source-map');
    cpSync(path.join(path.dirname(sourceMap), 'lib/mappings.wasm'), path.join(folder, 'mappings.wasm'));
    // The same bundle that every worker of this build uses.
    const { buildWorkflowBundle } = require(inProject('dist/src/infra/temporal/workflow-bundle.js'));
    const bundles = { 'workflow-bundle.js': undefined, 'workflow-bundle-encrypted.js': [] };
    for (const [name, keys] of Object.entries(bundles)) {
      const { codePath } = await buildWorkflowBundle(inProject('dist'), keys);
      cpSync(codePath, path.join(folder, name));
    }
  },
};

async function buildFunction(name, folder, arch) {
  mkdirSync(folder, { recursive: true });
  await packFunction(FUNCTIONS[name], folder);
  await ASSETS[name](folder, arch);
  const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: `parley-${name}`, version, type: 'commonjs' }),
  );
}

const formatMb = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

async function reportFunction(name, folder, canRun) {
  const { unzipped, zipped } = measureSize(folder);
  if (unzipped > MAX_UNZIPPED_BYTES)
    throw new SetupError(
      `${name} is too large: ${formatMb(unzipped)}; Lambda's limit is ${formatMb(MAX_UNZIPPED_BYTES)}.`,
    );
  const size = `${name.padEnd(7)} ${formatMb(zipped)} zipped, ${formatMb(unzipped)} unzipped`;
  if (!canRun) return print(size);
  const { loading, total } = await measureColdStart(folder);
  print(`${size}; loaded in ${Math.round(loading)} ms, ${Math.round(total)} ms with Node's own start`);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', default: 'x86_64' },
      measure: { type: 'boolean', default: true },
      help: { type: 'boolean' },
    },
    allowNegative: true,
  });
  if (!(values.arch in CORE_TARGETS)) throw new SetupError(`--arch must be ${Object.keys(CORE_TARGETS).join(' or ')}.`);
  return values;
}

async function main() {
  const { arch, measure, help } = readArguments();
  if (help) return print(USAGE);
  await inTemporaryFolder(inProject('dist'), async (partial) => {
    for (const name of Object.keys(FUNCTIONS)) await buildFunction(name, path.join(partial, 'lambda', name), arch);
    rmSync(inProject('dist/lambda'), { recursive: true, force: true });
    renameSync(path.join(partial, 'lambda'), inProject('dist/lambda'));
  });
  for (const name of Object.keys(FUNCTIONS))
    await reportFunction(name, inProject('dist/lambda', name), measure && arch === HOST_ARCH);
  print('Built into dist/lambda. To deploy, see deploy/lambda/README.md.');
}

await main().catch((error) =>
  exitWithError(error instanceof SetupError || error.code?.startsWith('ERR_PARSE_ARGS') ? error.message : error.stack),
);
