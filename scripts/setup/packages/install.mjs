/** Runs `npm ci` if the installed packages do not match the lock file. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { firstLines } from '../exec.mjs';
import { print, SetupError, withProgress } from '../log.mjs';
import { PROJECT } from '../paths.mjs';
import { runNpm } from './npm.mjs';

const LOCK_FILE = path.join(PROJECT, 'package-lock.json');
const STAMP = path.join(PROJECT, 'node_modules', '.parley-install');

export function arePackagesInstalled() {
  const lock = readFileSync(LOCK_FILE);
  const hash = createHash('sha256').update(lock).digest('hex');
  if (readIfExists(STAMP) === hash) return true;
  if (!matchesNpmLockFile(JSON.parse(lock))) return false;
  writeFileSync(STAMP, hash);
  return true;
}

/** Compares with npm's record of what it installed, so that nothing is installed again after a manual `npm ci`. */
function matchesNpmLockFile(lock) {
  const npmLock = readIfExists(path.join(PROJECT, 'node_modules', '.package-lock.json'));
  if (!npmLock) return false;
  const installed = JSON.parse(npmLock).packages;
  return Object.entries(lock.packages).every(
    ([name, wanted]) => name === '' || wanted.optional || installed[name]?.version === wanted.version,
  );
}

/** Installs packages, including development packages regardless of NODE_ENV, because the build needs them. */
export async function installPackages() {
  let { ok, output } = await withProgress('Installing packages', () => runNpm('ci', '--include=dev'));
  if (!ok && output.includes('EUSAGE')) {
    // A lock file created on one platform may lack the packages of others, and `npm ci` is strict.
    print('The lock file lacks packages that this machine needs; running npm install instead.');
    ({ ok, output } = await withProgress('Installing packages', () => runNpm('install', '--no-save', '--include=dev')));
  }
  if (ok && arePackagesInstalled()) return;
  throw new SetupError(
    `Package installation failed:\n\n${firstLines(output)}\n\n` +
      "Check the network, and npm's proxy and registry settings. Then try again: npm ci",
  );
}

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
