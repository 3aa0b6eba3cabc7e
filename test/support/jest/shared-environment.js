/** The environment that goes with shared-runtime.js: tests run in the main context, with the process's own globals. */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { refuseSockets } = require('./no-sockets');

/** Where jest-circus keeps a file's event handlers. Left there, those of the last file would report the next one's tests. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/** What jest sends a child process that has run its last file. */
const END = 2;

// In jest's child processes only: what files share, such as a worker, would keep them alive until jest kills them.
if (require.main?.filename.endsWith('processChild.js'))
  process.on('message', (message) => {
    if (Array.isArray(message) && message[0] === END) process.exit(0);
  });

module.exports = class SharedEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.exit = process.exit;
    this.console = console;
    delete globalThis[EVENT_HANDLERS];
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
