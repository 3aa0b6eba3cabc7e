/** Finding a PostgreSQL for the tests that run on one. Getting one is in postgres.mjs. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { canRunProgram } from '../exec.mjs';
import { SetupError } from '../log.mjs';
import { listCacheFolders } from '../paths.mjs';
import { EXECUTABLE_SUFFIX, findOnPath, isExecutable } from './find-temporal.mjs';

/** Where the programs are in what npm has of it: see postgres.mjs. */
export const POSTGRES_FOLDER = 'postgres-16.14';
const BIN_IN_CACHE = path.join(POSTGRES_FOLDER, 'native', 'bin');
/** Root's own folder is closed to whom PostgreSQL then runs as. */
const SYSTEM_CACHE = '/var/cache/parley';

/** Folders it is installed to, `*` being its version: Debian's, Fedora's, Homebrew's two, Postgres.app's. */
const DEFAULT_LOCATIONS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

/** The folder of its programs: PARLEY_POSTGRES, then PATH, where it is usually installed, the cache. */
export async function findPostgres(env = process.env, locations = DEFAULT_LOCATIONS) {
  if (env.PARLEY_POSTGRES) return requirePostgres(path.resolve(env.PARLEY_POSTGRES));
  const onPath = findOnPath('postgres', env);
  const cached = listPostgresCaches(env).map((folder) => path.join(folder, BIN_IN_CACHE));
  for (const folder of [
    ...(onPath ? [path.dirname(realpathSync(onPath))] : []),
    ...expandLocations(locations),
    ...cached,
  ])
    if (await isPostgres(folder)) return folder;
  return undefined;
}

/** Caches that it can be run from. */
export function listPostgresCaches(env = process.env) {
  if (process.getuid?.() !== 0) return listCacheFolders(env);
  const [shared, inData] = listCacheFolders(env);
  return [shared, SYSTEM_CACHE, inData].filter(isOpenToAll);
}

/** Asked as whom it will run as, who may not reach it. Temporal needs 12 or later. */
export async function isPostgres(folder) {
  const as = findPostgresUser();
  const hasProgram = (name) => isExecutable(path.join(folder, name + EXECUTABLE_SUFFIX));
  if (!hasProgram('postgres') || !hasProgram('initdb')) return false;
  return canRunProgram(
    path.join(folder, `postgres${EXECUTABLE_SUFFIX}`),
    ['--version'],
    /PostgreSQL\) (1[2-9]|[2-9]\d)\b/,
    {
      as,
      cwd: path.parse(folder).root,
    },
  );
}

/** PostgreSQL refuses to run as root: then it runs as the user that is there for it, or as nobody. */
export function findPostgresUser(passwd = '/etc/passwd') {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync(passwd, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean);
  if (!found)
    throw new SetupError(
      'PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody to run it as.\n' +
        'Make one (`useradd --system postgres`), or start as somebody else.',
    );
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

async function requirePostgres(folder) {
  if (await isPostgres(folder)) return folder;
  throw new SetupError(
    `PARLEY_POSTGRES names ${folder}, and there is no PostgreSQL there that can be run: it wants the folder of the programs ` +
      'postgres and initdb, version 12 or later, open to the user that they run as. Correct it, or unset it.',
  );
}

/** The newest first. */
function expandLocations(patterns) {
  return patterns.flatMap((pattern) => {
    const [before, after] = pattern.split('*');
    const parent = path.dirname(`${before}x`);
    const prefix = path.basename(`${before}x`).slice(0, -1);
    return listNames(parent)
      .filter((name) => name.startsWith(prefix))
      .sort((a, b) => Number.parseFloat(b.slice(prefix.length)) - Number.parseFloat(a.slice(prefix.length)))
      .map((name) => path.join(parent, name, after));
  });
}

function listNames(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether others may pass through it and all that it is in; one that is not there yet can be made so. */
function isOpenToAll(folder) {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  const parent = path.dirname(folder);
  return (mode === undefined || (mode & 1) === 1) && (parent === folder || isOpenToAll(parent));
}
