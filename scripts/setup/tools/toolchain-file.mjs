/** dist/toolchain.json: where the set-up found the binaries. src/infra/temporal/toolchain.ts and test/support/ read it. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../paths.mjs';

const FILE = path.join(PROJECT, 'dist', 'toolchain.json');

/** Whether what was found is already written down; what was not looked for does not matter. */
export function isToolchainRecorded(found) {
  const known = readToolchain();
  return Object.entries(found).every(([name, file]) => file === undefined || known[name] === file);
}

export function recordToolchain(found) {
  if (isToolchainRecorded(found)) return;
  mkdirSync(path.dirname(FILE), { recursive: true });
  const partial = `${FILE}.${process.pid}`;
  // JSON leaves out what is undefined, so what was not looked for must be dropped before it hides what is known.
  const defined = Object.fromEntries(Object.entries(found).filter(([, file]) => file !== undefined));
  writeFileSync(partial, `${JSON.stringify({ ...readToolchain(), ...defined }, null, 2)}\n`);
  renameSync(partial, FILE);
}

function readToolchain() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return {};
  }
}
