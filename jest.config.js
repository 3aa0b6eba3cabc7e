/**
 * Tests in four tiers, one folder each. CONTRIBUTING.md says what belongs where; scripts/test.mjs says which command runs
 * which. `histories` records what the tests replay: `npm run record`.
 */
const support = '<rootDir>/test/support/jest';

/** @param {string} name @param {object} more */
const tier = (name, more = {}) => ({
  displayName: name,
  roots: [`<rootDir>/test/${name}`],
  testMatch: ['**/*.test.ts'],
  runtime: `${support}/shared-runtime.js`,
  testEnvironment: `${support}/shared-environment.js`,
  setupFiles: [`${support}/setup-file.js`],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
    ],
  },
  ...more,
});

/** One Temporal server and one workflow bundle for the whole run. */
const withServer = { globalSetup: `${support}/global-setup.ts`, globalTeardown: `${support}/global-teardown.ts` };

module.exports = {
  projects: [
    tier('unit', { testEnvironmentOptions: { sockets: false } }),
    tier('integration', withServer),
    tier('e2e', withServer),
    tier('release', withServer),
    tier('histories', { ...withServer, testMatch: ['**/record.ts'] }),
  ],
  testSequencer: `${support}/slowest-first-sequencer.js`,
  // A last resort: a test waits for states, and a busy machine may take its time.
  testTimeout: 300_000,
  // Twice the cores of a small machine: half of what a test does is waiting for a server.
  maxWorkers: 4,
};
