#!/usr/bin/env node
/** `npx parley`: the terminal client. Plain Node without packages, because a fresh clone has no build yet. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const client = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
// `admin replay` checks this source, so its build must be up to date.
const isAdmin = process.argv[2] === 'admin';

if (isAdmin || !existsSync(client)) {
  const setup = fileURLToPath(new URL('setup.mjs', import.meta.url));
  // Set-up output goes to stderr, because stdout may be piped to a program.
  const { status } = spawnSync(process.execPath, [setup, '--no-server'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}
createRequire(import.meta.url)(client);
