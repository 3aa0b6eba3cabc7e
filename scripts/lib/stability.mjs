/**
 * `npm run test:steady`: runs the suite three times alone and twice beside two CPU hogs, and reports unstable tests.
 */
import { spawn } from 'node:child_process';

const QUIET_RUNS = Number(process.env.PARLEY_STEADY_QUIET ?? 3);
const BUSY_RUNS = Number(process.env.PARLEY_STEADY_BUSY ?? 2);
const TIMES_SLOWER = 5;
/** Below this, five times the median is noise. */
const MIN_MS = 1_000;
const BUSY_LOOP = 'for (;;);';

/** Runs the suite with `runTests` several times. Resolves to an exit code: 1 if any test failed in any run. */
export async function runStabilityCheck(runTests) {
  const runs = [];
  for (let index = 0; index < QUIET_RUNS + BUSY_RUNS; index += 1) {
    const isBusy = index >= QUIET_RUNS;
    console.log(`\nRun ${index + 1} of ${QUIET_RUNS + BUSY_RUNS}${isBusy ? ', with two CPU hogs' : ''}`);
    const hogs = isBusy ? [startCpuHog(), startCpuHog()] : [];
    const startedAt = Date.now();
    try {
      const run = await runTests();
      if (run.isStopped) break;
      runs.push({ ...run, isBusy, seconds: Math.round((Date.now() - startedAt) / 1_000) });
    } finally {
      for (const child of hogs) child.kill('SIGKILL');
    }
  }
  const report = createStabilityReport(runs);
  console.log(`\n${report.lines.join('\n')}`);
  console.log(`${report.passed} passed, ${report.failed} failed`);
  const isComplete = runs.length === QUIET_RUNS + BUSY_RUNS;
  return isComplete && report.failed === 0 && runs.every(({ code }) => code === 0) ? 0 : 1;
}

function startCpuHog() {
  const child = spawn(process.execPath, ['-e', BUSY_LOOP], { stdio: 'ignore' });
  // Kill the child when this process exits for any reason.
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Creates the report: each run, every test that failed, and every test slower than five times its median. */
export function createStabilityReport(runs) {
  const lines = runs.map(
    ({ passed, failed, seconds, isBusy }, index) =>
      `Run ${index + 1}${isBusy ? ' (busy)' : ''}: ${passed} passed, ${failed} failed, ${seconds} s`,
  );
  const byName = new Map();
  for (const [index, { tests }] of runs.entries())
    for (const { name, ms, hasFailed } of tests) {
      const results = byName.get(name) ?? [];
      byName.set(name, [...results, { run: index + 1, ms, hasFailed }]);
    }
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
  const failures = [...byName].flatMap(([name, results]) => {
    const failed = results.filter(({ hasFailed }) => hasFailed).map(({ run }) => run);
    return failed.length > 0 ? [`  ${name} (run ${failed.join(', ')})`] : [];
  });
  const slow = [...byName].flatMap(([name, results]) => {
    const median = medianOf(results.map(({ ms }) => ms));
    const slowest = results.reduce((a, b) => (b.ms > a.ms ? b : a));
    return slowest.ms > MIN_MS && slowest.ms > TIMES_SLOWER * median
      ? [`  ${name}: ${slowest.ms} ms in run ${slowest.run}, median ${median} ms`]
      : [];
  });
  return {
    lines: [
      ...lines,
      sum('failed') > 0 ? 'Failed:' : 'No test failed in any run.',
      ...failures,
      slow.length > 0 ? `More than ${TIMES_SLOWER} times slower than their median:` : 'No test was unstable.',
      ...slow,
    ],
    passed: sum('passed'),
    failed: sum('failed'),
  };
}

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
