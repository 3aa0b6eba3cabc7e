/** Builds the two functions into dist/lambda, ready for `sam deploy`, and says how large they are and how long they take to start. */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { coldStart, MOST_BYTES, sizeOf } from './lambda/measure.mjs';
import { pack } from './lambda/pack.mjs';
import { Failure, fail, say } from './setup/log.mjs';
import { inPartialFolder, PROJECT } from './setup/paths.mjs';

const USAGE = `Builds Parley's two functions for AWS Lambda into dist/lambda: see deploy/lambda/README.md.

  npm run lambda                 for x86_64
  npm run lambda -- --arch arm64
  npm run lambda -- --no-measure without trying how long they take to start`;

const CORES = { x86_64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' };
const HERE = { x64: 'x86_64', arm64: 'arm64' }[process.arch];

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

/** What is in the folder beside the code. */
const BESIDE = {
  async api(folder) {
    cpSync(inProject('agents'), path.join(folder, 'agents'), { recursive: true });
    cpSync(inProject('dist/web'), path.join(folder, 'dist/web'), { recursive: true });
  },
  async worker(folder, arch) {
    const core = path.join('releases', CORES[arch], 'index.node');
    cpSync(inProject('node_modules/@temporalio/core-bridge', core), path.join(folder, core));
    const sourceMap = createRequire(inProject('node_modules/@temporalio/worker/package.json')).resolve('source-map');
    cpSync(path.join(path.dirname(sourceMap), 'lib/mappings.wasm'), path.join(folder, 'mappings.wasm'));
    // The very same that every worker of this build has.
    const { buildWorkflowBundle } = require(inProject('dist/src/infra/temporal/workflow-bundle.js'));
    const bundles = { 'workflow-bundle.js': undefined, 'workflow-bundle-encrypted.js': [] };
    for (const [name, keys] of Object.entries(bundles)) {
      const { codePath } = await buildWorkflowBundle(inProject('dist'), keys);
      cpSync(codePath, path.join(folder, name));
    }
  },
};

async function make(name, folder, arch) {
  mkdirSync(folder, { recursive: true });
  await pack(FUNCTIONS[name], folder);
  await BESIDE[name](folder, arch);
  const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: `parley-${name}`, version, type: 'commonjs' }),
  );
}

const mb = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

async function tell(name, folder, canRun) {
  const { whole, zipped } = sizeOf(folder);
  if (whole > MOST_BYTES) throw new Failure(`${name} has ${mb(whole)}, and Lambda takes ${mb(MOST_BYTES)}.`);
  const size = `${name.padEnd(7)} ${mb(zipped)} zipped, ${mb(whole)} unzipped`;
  if (!canRun) return say(size);
  const { loading, process: all } = await coldStart(folder);
  say(`${size}; loaded in ${Math.round(loading)} ms, ${Math.round(all)} ms with Node's own start`);
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
  if (!(values.arch in CORES)) throw new Failure(`--arch takes ${Object.keys(CORES).join(' or ')}.`);
  return values;
}

async function run() {
  const { arch, measure, help } = readArguments();
  if (help) return say(USAGE);
  await inPartialFolder(inProject('dist'), async (partial) => {
    for (const name of Object.keys(FUNCTIONS)) await make(name, path.join(partial, 'lambda', name), arch);
    rmSync(inProject('dist/lambda'), { recursive: true, force: true });
    renameSync(path.join(partial, 'lambda'), inProject('dist/lambda'));
  });
  for (const name of Object.keys(FUNCTIONS)) await tell(name, inProject('dist/lambda', name), measure && arch === HERE);
  say('Built for dist/lambda. Deploy: deploy/lambda/README.md.');
}

await run().catch((error) =>
  fail(error instanceof Failure || error.code?.startsWith('ERR_PARSE_ARGS') ? error.message : error.stack),
);
