/** The environment for shared-runtime.js: tests run in the main context, with the process's own globals. */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { refuseSockets } = require('./no-sockets');

/**
 * Where jest keeps state of one file: its event handlers, which would report the next file's tests, and the settings of
 * `jest.setTimeout` and `jest.retryTimes`.
 */
const OF_ONE_FILE = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL', 'RETRY_TIMES'].map((name) => Symbol.for(name));

/** Jest's message to a child process that has run its last file. */
const END = 2;

// In jest's child processes only: shared resources, such as a worker, would keep them alive until jest kills them.
if (require.main?.filename.endsWith('processChild.js')) {
  process
    .on('message', (message) => {
      if (Array.isArray(message) && message[0] === END) process.exit(0);
    })
    // Jest itself was ended by a signal.
    .on('disconnect', () => process.exit(1));
}

module.exports = class SharedEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.exit = process.exit;
    this.console = console;
    for (const symbol of OF_ONE_FILE) delete globalThis[symbol];
    // Undone after each file: the next file in this process may be of another tier.
    this.allowSockets = projectConfig.testEnvironmentOptions.sockets === false ? refuseSockets() : () => {};
  }

  getVmContext() {
    return {};
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {}

  /** Restores what jest replaces for each file. */
  async teardown() {
    this.allowSockets();
    this.fakeTimersModern.dispose();
    process.exit = this.exit;
    globalThis.console = this.console;
  }
};
