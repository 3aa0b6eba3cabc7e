/**
 * The Temporal server as it runs in production, on a database, and the tool that creates its tables. Only some tests
 * need them.
 */
import path from 'node:path';
import { buildWithGo } from '../download/go-build.mjs';
import { canRunProgram } from '../exec.mjs';
import { SetupError } from '../log.mjs';
import { findWritableCache } from '../paths.mjs';
import { EXECUTABLE_SUFFIX, findCached, findOnPath, isExecutable } from './find-temporal.mjs';

const VERSION = '1.32.1';

/**
 * Each program's environment variable, name on PATH, package and name as built by Go. Its name in the cache includes
 * the version.
 */
const SERVER = describeProgram('TEMPORAL_SERVER', 'temporal-server', 'cmd/server', 'server');
const SQL_TOOL = describeProgram('TEMPORAL_SQL_TOOL', 'temporal-sql-tool', 'cmd/tools/sql', 'sql');

const INSTALL_HINT = `The PostgreSQL tests need a Temporal server that supports it. Do one of the following:
  - Install Go (https://go.dev/dl) and try again: Parley then builds the server.
  - Download the same version of temporal-server and temporal-sql-tool from
    https://github.com/temporalio/temporal/releases, and add both to PATH or set TEMPORAL_SERVER and TEMPORAL_SQL_TOOL.`;

/**
 * Resolves to {temporalServer, temporalSqlTool}, or undefined if either is missing. A configured program that does not
 * run is an error.
 */
export async function findTemporalServer(env = process.env) {
  const [temporalServer, temporalSqlTool] = await Promise.all([findProgram(SERVER, env), findProgram(SQL_TOOL, env)]);
  return temporalServer && temporalSqlTool ? { temporalServer, temporalSqlTool } : undefined;
}

export async function installTemporalServer() {
  const [temporalServer, temporalSqlTool] = await buildWithGo({
    what: 'Temporal server for PostgreSQL',
    module: 'go.temporal.io/server',
    version: `v${VERSION}`,
    programs: [SERVER, SQL_TOOL],
    cache: findWritableCache(),
    installHint: INSTALL_HINT,
  });
  return { temporalServer, temporalSqlTool };
}

function describeProgram(variable, name, folder, built) {
  return {
    variable,
    name,
    folder,
    builtName: `${built}${EXECUTABLE_SUFFIX}`,
    cachedName: `${name}-${VERSION}${EXECUTABLE_SUFFIX}`,
    isProgram: (file) => canRunProgram(file, ['--version'], /^temporal(-sql-tool)? version /m),
  };
}

async function findProgram({ variable, name, cachedName, isProgram }, env) {
  if (env[variable]) return requireProgram(variable, path.resolve(env[variable]), isProgram);
  const onPath = findOnPath(name, env);
  if (onPath && (await isProgram(onPath))) return onPath;
  return findCached(cachedName, env);
}

async function requireProgram(variable, file, isProgram) {
  if (!isExecutable(file))
    throw new SetupError(`${variable} is ${file}, which is not an executable. Correct or unset it.`);
  if (await isProgram(file)) return file;
  throw new SetupError(`${variable} is ${file}, which is not the expected program: try running it with --version.`);
}
