/** Finds a PostgreSQL for the tests that need one; postgres.mjs installs one. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { canRunProgram } from '../exec.mjs';
import { SetupError } from '../log.mjs';
import { listCacheFolders } from '../paths.mjs';
import { EXECUTABLE_SUFFIX, findOnPath, isExecutable } from './find-temporal.mjs';

/** Folder of the npm package in the cache: see postgres.mjs. */
export const POSTGRES_FOLDER = 'postgres-16.14';
const BIN_IN_CACHE = path.join(POSTGRES_FOLDER, 'native', 'bin');
/** Cache for root, because the user that PostgreSQL then runs as cannot access root's home folder. */
const SYSTEM_CACHE = '/var/cache/parley';

/** Usual install folders, with `*` for the version: Debian's, Fedora's, Homebrew's two, Postgres.app's. */
const DEFAULT_LOCATIONS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

/** Returns the folder of its programs. Looks in PARLEY_POSTGRES, PATH, the usual install locations and the cache. */
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

/** Lists the caches that PostgreSQL can run from. */
export function listPostgresCaches(env = process.env) {
  if (process.getuid?.() !== 0) return listCacheFolders(env);
  const [shared, inData] = listCacheFolders(env);
  return [shared, SYSTEM_CACHE, inData].filter(isOpenToAll);
}

/**
 * Returns whether a folder has PostgreSQL. Checks as the user it will run as, who may lack access. Temporal needs
 * version 12 or later.
 */
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

/** Returns the user to run PostgreSQL as, because it refuses to run as root: its own system user, else `nobody`. */
export function findPostgresUser(passwd = '/etc/passwd') {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync(passwd, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean);
  if (!found)
    throw new SetupError(
      'PostgreSQL does not run as root, and this machine has no user named postgres or nobody.\n' +
        'Create one (`useradd --system postgres`), or run this as another user.',
    );
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

async function requirePostgres(folder) {
  if (await isPostgres(folder)) return folder;
  throw new SetupError(
    `PARLEY_POSTGRES is ${folder}, which has no usable PostgreSQL. It must be the folder of the programs postgres and ` +
      'initdb, version 12 or later, accessible to the user that they run as. Correct or unset it.',
  );
}

/** Expands the `*` in each pattern, newest version first. */
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

/**
 * Returns whether other users can access a folder through all its parents. A missing folder can be created accessible.
 */
function isOpenToAll(folder) {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  const parent = path.dirname(folder);
  return (mode === undefined || (mode & 1) === 1) && (parent === folder || isOpenToAll(parent));
}
