/** Packages: `npm ci` when what is installed is not what the lock file says. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from './places.mjs';
import { firstLines, run } from './run.mjs';
import { during, Failure, say } from './say.mjs';

const LOCK_FILE = path.join(PROJECT, 'package-lock.json');
const STAMP = path.join(PROJECT, 'node_modules', '.parley-install');

export function isInstalled() {
  const lock = readFileSync(LOCK_FILE);
  const hash = createHash('sha256').update(lock).digest('hex');
  if (read(STAMP) === hash) return true;
  if (!matchesNpmsRecord(JSON.parse(lock))) return false;
  writeFileSync(STAMP, hash);
  return true;
}

/** npm keeps a lock file of what it installed: a person who ran `npm ci` themselves need not wait for another. */
function matchesNpmsRecord(lock) {
  const record = read(path.join(PROJECT, 'node_modules', '.package-lock.json'));
  if (!record) return false;
  const installed = JSON.parse(record).packages;
  return Object.entries(lock.packages).every(
    ([name, wanted]) => name === '' || wanted.optional || installed[name]?.version === wanted.version,
  );
}

export async function install() {
  let { ok, output } = await during('Installing packages', () => npm('ci'));
  if (!ok && output.includes('EUSAGE')) {
    // A lock file made where only some platforms' packages are to be had lacks those of the others, and `ci` is strict.
    say('  The lock file does not list every package this machine needs: going by it as far as it goes.');
    ({ ok, output } = await during('Installing packages', () => npm('install', '--no-save')));
  }
  if (ok && isInstalled()) return;
  throw new Failure(
    `npm could not install the packages:\n\n${firstLines(output)}\n\n` +
      'Check the network (and the proxy or registry npm is set to), then try again: npm ci',
  );
}

/**
 * Development packages too, whatever NODE_ENV says: the build needs them. No script of a package runs: none is needed
 * (`allowScripts` in package.json), and one that a stranger got into a package would run as whoever installs it.
 */
function npm(...command) {
  const [program, first] = whichNpm();
  const args = [...first, ...command, '--include=dev', '--ignore-scripts', ...QUIETLY];
  // Only npm itself needs a shell, and only on Windows, where it is a .cmd file.
  return run(program, args, { shell: program === 'npm' && process.platform === 'win32' });
}

const QUIETLY = ['--no-audit', '--no-fund', '--loglevel=error'];

/** The npm that runs us, by way of this Node, else the one on PATH. */
function whichNpm() {
  const running = process.env.npm_execpath ?? '';
  return /npm-cli\.c?js$/.test(running) ? [process.execPath, [running]] : ['npm', []];
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
