interface Run {
  passed: number;
  failed: number;
  seconds: number;
  isBusy: boolean;
  tests: { name: string; ms: number; hasFailed: boolean }[];
}
interface StabilityScript {
  createStabilityReport(runs: Run[]): { lines: string[]; passed: number; failed: number };
}
const { createStabilityReport }: StabilityScript = require('../../../scripts/lib/stability.mjs');

const run = (times: Record<string, number>, { failed = '', isBusy = false } = {}): Run => {
  const tests = Object.entries(times).map(([name, ms]) => ({ name, ms, hasFailed: name === failed }));
  const failures = tests.filter(({ hasFailed }) => hasFailed).length;
  return { passed: tests.length - failures, failed: failures, seconds: 60, isBusy, tests };
};

describe('the report of npm run test:steady', () => {
  it('lists every failed test with its runs, and every test slower than five times its median', () => {
    const report = createStabilityReport([
      run({ flaky: 100, slow: 900, steady: 2_000 }),
      run({ flaky: 100, slow: 1_000, steady: 2_000 }, { failed: 'flaky' }),
      run({ flaky: 100, slow: 5_100, steady: 9_000 }, { failed: 'flaky', isBusy: true }),
    ]);
    expect(report).toMatchObject({ passed: 7, failed: 2 });
    expect(report.lines).toEqual([
      'Run 1: 3 passed, 0 failed, 60 s',
      'Run 2: 2 passed, 1 failed, 60 s',
      'Run 3 (busy): 2 passed, 1 failed, 60 s',
      'Failed:',
      '  flaky (run 2, 3)',
      'More than 5 times slower than their median:',
      '  slow: 5100 ms in run 3, median 1000 ms',
    ]);
  });

  it('says so if all tests were stable, and omits tests below a second', () => {
    const { lines } = createStabilityReport([run({ quick: 10 }), run({ quick: 10 }), run({ quick: 900 })]);
    expect(lines.slice(3)).toEqual(['No test failed in any run.', 'No test was unstable.']);
  });
});
