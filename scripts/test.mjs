/**
 * `npm test`: sets up what the tests need, runs the unit, integration and e2e tiers with jest, and ends with one plain
 * line, `N passed, N failed`. Unit tests run while a Temporal server is still being built.
 *
 *   npm test                      unit, integration, e2e
 *   npm test -- test/unit/core    these files; accepts jest's options
 *   npm run test:unit             unit tests only; no server needed
 *   npm run test:release          the long proofs, then the suite with encryption and on PostgreSQL
 *   npm run test:encrypted        integration and e2e, with every payload encrypted
 *   npm run test:postgres         integration, processes and channels, on a Temporal server with PostgreSQL
 *   npm run test:steady           the suite beside two CPU hogs: failed tests, and tests five times slower than usual
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { runStabilityCheck } from './lib/stability.mjs';
import { exitWithError, holdOutput, SetupError } from './setup/log.mjs';
import { PROJECT } from './setup/paths.mjs';
import { setUp } from './setup/steps.mjs';

const MODES = ['--unit', '--release', '--encrypted', '--postgres', '--steady'];
const hasFlag = (mode) => process.argv.includes(mode);
const jestArguments = process.argv.slice(2).filter((word) => !MODES.includes(word));

/** The jest runs: each has its tiers, arguments and additional environment variables. */
const UNIT = { tiers: ['unit'] };
const WITH_SERVER = { tiers: ['integration', 'e2e'] };
const ALL_TIERS = { tiers: [...UNIT.tiers, ...WITH_SERVER.tiers] };
const RELEASE = { tiers: ['release'], args: ['--maxWorkers=1'] };
const ENCRYPTED = {
  ...WITH_SERVER,
  env: { PARLEY_TEST_ENCRYPTION: `test:${randomBytes(32).toString('base64')}` },
};
const ON_POSTGRES = {
  ...WITH_SERVER,
  // Excludes tests that start their own Temporal server.
  args: ['test/integration', 'test/e2e/process', 'test/e2e/channels'],
  env: { PARLEY_TEST_POSTGRES: '1' },
};

function selectRuns() {
  if (hasFlag('--unit')) return [{ ...UNIT, args: jestArguments }];
  if (hasFlag('--encrypted')) return [{ ...ENCRYPTED, args: jestArguments }];
  if (hasFlag('--postgres')) return [jestArguments.length > 0 ? { ...ON_POSTGRES, args: jestArguments } : ON_POSTGRES];
  if (hasFlag('--release'))
    return jestArguments.length > 0 ? [{ ...RELEASE, args: jestArguments }] : [RELEASE, ENCRYPTED, ON_POSTGRES];
  if (jestArguments.length > 0) return [{ ...ALL_TIERS, args: jestArguments }];
  return [UNIT, WITH_SERVER];
}

let child;
let isStopped = false;
// Ctrl-C also reaches jest, so wait until it has stopped its child processes. Other signals do not, so pass them on.
process.on('SIGINT', () => {
  isStopped = true;
});
process.on('SIGTERM', () => {
  isStopped = true;
  child?.kill('SIGTERM');
});

try {
  process.exitCode = await (hasFlag('--steady') ? runStabilityCheck(() => runTests([UNIT, WITH_SERVER])) : main());
} catch (error) {
  exitWithError(error instanceof SetupError ? error.message : error.stack);
}

async function main() {
  const { passed, failed, code } = await runTests(selectRuns());
  console.log(`${passed} passed, ${failed} failed`);
  return code;
}

/** Runs each in turn. Packages are ready before the first run, servers before the first run that needs one. */
async function runTests(runs) {
  const needsServer = ({ tiers }) => tiers.some((tier) => tier !== 'unit');
  const ready = setUp({
    server: runs.some(needsServer),
    tests: runs.some(needsServer),
    postgres: runs.some(({ env, tiers }) => env?.PARLEY_TEST_POSTGRES || tiers.includes('release')),
  });
  await ready.packages;
  const total = { passed: 0, failed: 0, code: 0, tests: [] };
  for (const jestRun of runs) {
    if (isStopped) break;
    if (needsServer(jestRun)) {
      try {
        await ready.everything;
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        // Earlier runs still count.
        console.error(`\n${error.message}`);
        return { ...total, failed: total.failed + 1, code: 1 };
      }
    }
    const releaseOutput = needsServer(jestRun) ? () => undefined : holdOutput();
    const { passed, failed, code, tests } = await runJest(jestRun).finally(releaseOutput);
    total.passed += passed;
    total.failed += failed;
    total.code ||= code;
    total.tests.push(...tests);
  }
  return isStopped ? { ...total, isStopped, code: total.code || 130 } : total;
}

/** Runs jest once. A run that ends without a count has failed. */
function runJest({ tiers, args = [], env = {} }) {
  const jestCommand = [
    // Resolves `imports` in package.json to the sources, not to the compiled output.
    '--conditions=parley-source',
    path.join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js'),
    ...args,
    '--selectProjects',
    ...tiers,
    // Last, because jest would read a file name after these as another reporter.
    '--reporters=default',
    `--reporters=${path.join(PROJECT, 'scripts', 'lib', 'count-tests-reporter.mjs')}`,
  ];
  return new Promise((resolve) => {
    child = spawn(process.execPath, jestCommand, {
      cwd: PROJECT,
      env: { ...process.env, ...env },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    let count = { passed: 0, failed: 1, tests: [] };
    child.on('message', (message) => {
      count = message;
    });
    child.on('close', (code) => {
      // jest may fail although no test does, for example in its teardown.
      const failed = code === 0 ? count.failed : Math.max(count.failed, 1);
      resolve({ ...count, failed, code: code ?? 1 });
    });
  });
}
