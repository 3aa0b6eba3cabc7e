import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findPackageRoot } from '#infra/package-info';

/** Programs that `scripts/setup.mjs` found, read from `dist/toolchain.json`. */
interface Toolchain {
  temporal?: string;
  testServer?: string;
  temporalServer?: string;
  temporalSqlTool?: string;
  /** Folder of the PostgreSQL programs. */
  postgres?: string;
  /** `uid:gid`; set if the setup ran as root. */
  postgresUser?: string;
}

/** Programs for a Temporal server on PostgreSQL. */
export interface PostgresPrograms {
  temporalServer: string;
  temporalSqlTool: string;
  postgres: string;
  /** User for PostgreSQL, which refuses to run as root. */
  postgresUser?: { uid: number; gid: number };
}

/** Returns the Temporal CLI: `TEMPORAL_CLI`, else the one that the setup found. */
export function findTemporalCli(env: NodeJS.ProcessEnv = process.env): string {
  const { temporal } = readToolchain();
  return requireProgram(
    env.TEMPORAL_CLI ? path.resolve(env.TEMPORAL_CLI) : temporal,
    'Temporal CLI not found. `npm start` installs it; or set TEMPORAL_CLI or TEMPORAL_ADDRESS.',
  );
}

/** Returns the time-skipping server for tests. */
export function findTestServer(): string {
  return requireProgram(readToolchain().testServer, 'Time-skipping test server not found. `npm test` installs it.');
}

/** Returns the programs for tests on a production-like server, and for the chaos harness. */
export function findPostgresPrograms(): PostgresPrograms {
  const toolchain = readToolchain();
  const findProgram = (name: 'temporalServer' | 'temporalSqlTool' | 'postgres') =>
    requireProgram(
      toolchain[name],
      'Temporal server for PostgreSQL not found. `node scripts/setup.mjs --postgres` installs it.',
    );
  const [uid, gid] = toolchain.postgresUser?.split(':').map(Number) ?? [];
  const isRoot = process.getuid?.() === 0 && uid !== undefined && gid !== undefined;
  return {
    temporalServer: findProgram('temporalServer'),
    temporalSqlTool: findProgram('temporalSqlTool'),
    postgres: findProgram('postgres'),
    ...(isRoot ? { postgresUser: { uid, gid } } : {}),
  };
}

function requireProgram(file: string | undefined, installHint: string): string {
  if (file && existsSync(file)) return file;
  throw new Error(file ? `${file} no longer exists. ${installHint}` : installHint);
}

function readToolchain(): Toolchain {
  const file = path.join(findPackageRoot(), 'dist', 'toolchain.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Toolchain) : {};
}
