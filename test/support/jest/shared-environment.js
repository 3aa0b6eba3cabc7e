/** The environment that goes with shared-runtime.js: tests run in the main context, with the process's own globals. */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { refuseSockets } = require('./no-sockets');

/**
 * Where jest keeps what is one file's: its event handlers, which would report the next file's tests, and what it set by
 * `jest.setTimeout` and `jest.retryTimes`.
 */
const OF_ONE_FILE = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL', 'RETRY_TIMES'].map((name) => Symbol.for(name));

/** What jest sends a child process that has run its last file. */
const END = 2;

// In jest's child processes only: what files share, such as a worker, would keep them alive until jest kills them.
if (require.main?.filename.endsWith('processChild.js')) {
  process
    .on('message', (message) => {
      if (Array.isArray(message) && message[0] === END) process.exit(0);
    })
    // jest itself was ended by a signal.
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
    // Undone after each file: the next one in this process may be of another tier.
    this.allowSockets = projectConfig.testEnvironmentOptions.sockets === false ? refuseSockets() : () => {};
  }

  getVmContext() {
    return {};
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {}

  /** Jest replaces both for each file. */
  async teardown() {
    this.allowSockets();
    this.fakeTimersModern.dispose();
    process.exit = this.exit;
    globalThis.console = this.console;
  }
};
