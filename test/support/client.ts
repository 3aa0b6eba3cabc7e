import path from 'node:path';

/** The terminal client, as it was built. */
export const CLIENT = path.join(__dirname, '../../dist/src/cli/main.js');

/** The same to be called within a process, with streams and an environment of one's own. */
export const BUILT = path.join(__dirname, '../../dist/src/cli/run.js');
