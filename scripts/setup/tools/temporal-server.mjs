/** A Temporal server as production runs it, on a database, and the tool that makes its tables. Only some tests need it. */
import path from 'node:path';
import { buildWithGo } from '../download/go-build.mjs';
import { runs } from '../exec.mjs';
import { Failure } from '../log.mjs';
import { writableCache } from '../paths.mjs';
import { EXE, findCached, findOnPath, isExecutable } from './find-temporal.mjs';

const VERSION = '1.32.1';

/** What each is called: where it is named, on PATH, as Go builds it; the version is in its name in the cache. */
const SERVER = program('TEMPORAL_SERVER', 'temporal-server', 'cmd/server', 'server');
const SQL_TOOL = program('TEMPORAL_SQL_TOOL', 'temporal-sql-tool', 'cmd/tools/sql', 'sql');

const WAYS_OUT = `The tests on PostgreSQL need a Temporal server of its own kind. Any one of these will do:
  - install Go (https://go.dev/dl) and start again: Parley then builds the server itself
  - get temporal-server and temporal-sql-tool, of one version, from https://github.com/temporalio/temporal/releases,
    and put both on PATH, or set TEMPORAL_SERVER and TEMPORAL_SQL_TOOL to them`;

/** Resolves to {temporalServer, temporalSqlTool}, or undefined where one is missing. One that is named and does not run is an error. */
export async function findServer(env = process.env) {
  const [temporalServer, temporalSqlTool] = await Promise.all([find(SERVER, env), find(SQL_TOOL, env)]);
  return temporalServer && temporalSqlTool ? { temporalServer, temporalSqlTool } : undefined;
}

export async function getServer() {
  const [temporalServer, temporalSqlTool] = await buildWithGo({
    what: 'Temporal server for PostgreSQL',
    module: 'go.temporal.io/server',
    version: `v${VERSION}`,
    programs: [SERVER, SQL_TOOL],
    cache: writableCache(),
    waysOut: WAYS_OUT,
  });
  return { temporalServer, temporalSqlTool };
}

function program(variable, name, folder, built) {
  return {
    variable,
    name,
    folder,
    built: `${built}${EXE}`,
    kept: `${name}-${VERSION}${EXE}`,
    isIt: (file) => runs(file, ['--version'], /^temporal(-sql-tool)? version /m),
  };
}

async function find({ variable, name, kept, isIt }, env) {
  if (env[variable]) return checkNamed(variable, path.resolve(env[variable]), isIt);
  const onPath = findOnPath(name, env);
  if (onPath && (await isIt(onPath))) return onPath;
  return findCached(kept, env);
}

async function checkNamed(variable, file, isIt) {
  if (!isExecutable(file))
    throw new Failure(`${variable} names ${file}, and there is no program there. Correct it, or unset it.`);
  if (await isIt(file)) return file;
  throw new Failure(`${variable} names ${file}, which does not run as what it should be: try it with --version.`);
}
