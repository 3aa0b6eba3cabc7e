/**
 * dist/toolchain.json: the paths of the binaries found by the set-up. src/infra/temporal/toolchain.ts and test/support/
 * read it.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../paths.mjs';

const FILE = path.join(PROJECT, 'dist', 'toolchain.json');

/** Returns whether the given tools are already recorded. Tools that were not looked for are ignored. */
export function isToolchainRecorded(found) {
  const known = readToolchain();
  return Object.entries(found).every(([name, file]) => file === undefined || known[name] === file);
}

export function recordToolchain(found) {
  if (isToolchainRecorded(found)) return;
  mkdirSync(path.dirname(FILE), { recursive: true });
  const partial = `${FILE}.${process.pid}`;
  // JSON omits undefined values, so tools that were not looked for are removed before they overwrite recorded ones.
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
