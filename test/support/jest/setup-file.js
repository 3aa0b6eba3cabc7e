/** Modules loaded once per process have no `jest` of their own: they get that of the file that runs. */
globalThis.jest = jest;
