/**
 * A jest reporter for scripts/test.mjs, its parent process: counts and times the tests. After failed tests, it prints
 * where the Temporal server's log is.
 */
import path from 'node:path';
import { PROJECT } from '../setup/paths.mjs';

export default class CountTestsReporter {
  tests = [];

  onTestResult({ path: file }, { testResults, testExecError }) {
    // A file that failed to run has no tests to name.
    if (testExecError) this.tests.push({ name: path.relative(PROJECT, file), ms: 0, hasFailed: true });
    for (const { fullName, duration, status } of testResults)
      this.tests.push({
        name: `${path.relative(PROJECT, file)} › ${fullName}`,
        ms: duration ?? 0,
        hasFailed: status === 'failed',
      });
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    // A suite that failed to run has no tests to count, but counts as a failure.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    // Set by test/support/jest/global-setup.ts, which runs in this process.
    const log = process.env.PARLEY_TEST_SERVER_LOG;
    if (failed > 0 && log) console.log(`Temporal server log of this run: ${path.relative(PROJECT, log)}`);
    process.send?.({ passed: numPassedTests, failed, tests: this.tests });
  }
}
