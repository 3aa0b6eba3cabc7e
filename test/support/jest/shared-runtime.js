/**
 * A jest runtime that loads every module but the test file itself once per process, with Node's own `require`, in the main
 * context. No test mocks a module, so isolation buys nothing, and reloading the module graph for each file took a third
 * of a run. Shared modules also let one Parley and one browser connection serve every file of a process.
 */
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const JestRuntime = require('jest-runtime').default;

const CIRCUS = path.join(path.dirname(require.resolve('jest-circus/package.json')), 'build', 'jestAdapterInit.js');
/** One map for the process, as a stack trace may include modules that an earlier file loaded. */
const sourceMaps = new Map();
/** The runtime of the current file. Its transformer, which caches on disk, compiles the modules. */
let current;

Module._extensions['.ts'] = (module, file) => module._compile(current.transformCache.transform(file), file);

class SharedRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    current = this;
    this.transformCache.sourceMaps = sourceMaps;
    this.executor.compile = (code, filename) =>
      vm.compileFunction(code, this.executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  /** Loads a module for the test file. */
  requireModuleOrMock(from, name) {
    return Module.createRequire(from)(name);
  }

  /** Loads a module for jest. The module that holds the tests of a file is loaded again for each file. */
  requireInternalModule(from, name) {
    const file = name ? Module.createRequire(from).resolve(name) : from;
    if (file === CIRCUS) delete require.cache[CIRCUS];
    return require(file);
  }
}

module.exports = { __esModule: true, default: SharedRuntime };
