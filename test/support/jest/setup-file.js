/** Modules that are loaded once per process have no `jest` of their own, so they use the current file's. */
globalThis.jest = jest;
