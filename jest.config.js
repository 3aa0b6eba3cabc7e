/** One Temporal server, one time-skipping server and one workflow bundle for the whole run: see test/setup. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
    ],
  },
  globalSetup: '<rootDir>/test/setup/start.ts',
  globalTeardown: '<rootDir>/test/setup/stop.ts',
  testSequencer: '<rootDir>/test/setup/longest-first.js',
  testTimeout: 60_000,
  // One more than the cores of a small machine: most files wait more than they work.
  maxWorkers: 3,
};
