/** `npm run test:steady`: the suite three times alone and twice next to two CPU hogs, and what was not steady. */
import { spawn } from 'node:child_process';

const QUIET = Number(process.env.PARLEY_STEADY_QUIET ?? 3);
const BUSY = Number(process.env.PARLEY_STEADY_BUSY ?? 2);
const TIMES_SLOWER = 5;
/** Below this, five times the median is noise. */
const LEAST_MS = 1_000;
const HOG = 'for (;;);';

/** `test` runs the suite once. Resolves to an exit code: 1 where any test failed in any run. */
export async function steady(test) {
  const runs = [];
  for (let index = 0; index < QUIET + BUSY; index += 1) {
    const isBusy = index >= QUIET;
    console.log(`\nRun ${index + 1} of ${QUIET + BUSY}${isBusy ? ', next to two CPU hogs' : ''}`);
    const hogs = isBusy ? [hog(), hog()] : [];
    const began = Date.now();
    try {
      const run = await test();
      if (run.isStopped) break;
      runs.push({ ...run, isBusy, seconds: Math.round((Date.now() - began) / 1_000) });
    } finally {
      for (const one of hogs) one.kill('SIGKILL');
    }
  }
  const report = reportOf(runs);
  console.log(`\n${report.lines.join('\n')}`);
  console.log(`${report.passed} passed, ${report.failed} failed`);
  const isWhole = runs.length === QUIET + BUSY;
  return isWhole && report.failed === 0 && runs.every(({ code }) => code === 0) ? 0 : 1;
}

function hog() {
  const child = spawn(process.execPath, ['-e', HOG], { stdio: 'ignore' });
  // Gone with us, whatever happens.
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** What people read: each run, every test that failed, and every test slower than five times its median. */
export function reportOf(runs) {
  const lines = runs.map(
    ({ passed, failed, seconds, isBusy }, index) =>
      `Run ${index + 1}${isBusy ? ' (busy)' : ''}: ${passed} passed, ${failed} failed, ${seconds} s`,
  );
  const byName = new Map();
  for (const [index, { tests }] of runs.entries())
    for (const { name, ms, hasFailed } of tests) {
      const seen = byName.get(name) ?? [];
      byName.set(name, [...seen, { run: index + 1, ms, hasFailed }]);
    }
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
  const failures = [...byName].flatMap(([name, seen]) => {
    const failed = seen.filter(({ hasFailed }) => hasFailed).map(({ run }) => run);
    return failed.length > 0 ? [`  ${name} (run ${failed.join(', ')})`] : [];
  });
  const slow = [...byName].flatMap(([name, seen]) => {
    const median = medianOf(seen.map(({ ms }) => ms));
    const worst = seen.reduce((a, b) => (b.ms > a.ms ? b : a));
    return worst.ms > LEAST_MS && worst.ms > TIMES_SLOWER * median
      ? [`  ${name}: ${worst.ms} ms in run ${worst.run}, median ${median} ms`]
      : [];
  });
  return {
    lines: [
      ...lines,
      sum('failed') > 0 ? 'Failed:' : 'No test failed in any run.',
      ...failures,
      slow.length > 0 ? `More than ${TIMES_SLOWER} times slower than their median:` : 'No test was unsteady.',
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
