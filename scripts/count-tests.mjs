/** A jest reporter: tells scripts/test.mjs, whose child jest is, how many tests passed and failed. */
export default class CountTests {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    // A suite that could not run has no tests to count, and is a failure all the same.
    process.send?.({ passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites });
  }
}
