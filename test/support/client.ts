import path from 'node:path';

/** The terminal client, as it was built. */
export const CLIENT = path.join(__dirname, '../../dist/src/cli/main.js');
