/** One Temporal server, one time-skipping server and one workflow bundle for the whole run: see test/setup. */
const MODULES =
  'string-width|wrap-ansi|ansi-styles|strip-ansi|ansi-regex|get-east-asian-width|@opentelemetry/otlp-exporter-base';
const compiled = [
  '@swc/jest',
  { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
];

module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': compiled, [`/node_modules/(${MODULES})/.+\\.js$`]: compiled },
  // Packages that are ES modules only, or import as they go: Node can load them, jest cannot.
  transformIgnorePatterns: [`/node_modules/(?!(${MODULES})/)`],
  globalSetup: '<rootDir>/test/setup/start.ts',
  globalTeardown: '<rootDir>/test/setup/stop.ts',
  testSequencer: '<rootDir>/test/setup/longest-first.js',
  testTimeout: 60_000,
  // One more than the cores of a small machine: most files wait more than they work.
  maxWorkers: 3,
  // Each file loads everything anew, and Node never lets go of the async storages of those before: what a promise costs grows
  // with them. A new process above this much heap took a sixth less CPU over 28 files; one for each file gained nothing.
  workerIdleMemoryLimit: '500MB',
};
