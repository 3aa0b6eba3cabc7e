import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findPackageRoot } from '#infra/package-info';

/** What `scripts/setup.mjs` found, in `dist/toolchain.json`: it alone knows how to look. */
interface Toolchain {
  temporal?: string;
  testServer?: string;
  temporalServer?: string;
  temporalSqlTool?: string;
  /** The folder of its programs. */
  postgres?: string;
  /** `uid:gid`, found where it was root who looked. */
  postgresUser?: string;
}

/** What a Temporal server on PostgreSQL is made of. */
export interface PostgresPrograms {
  temporalServer: string;
  temporalSqlTool: string;
  postgres: string;
  /** Whom PostgreSQL runs as, which refuses to be root. */
  postgresUser?: { uid: number; gid: number };
}

/** The Temporal CLI: `TEMPORAL_CLI`, else the one the set-up found. */
export function findTemporalCli(env: NodeJS.ProcessEnv = process.env): string {
  const { temporal } = readToolchain();
  return requireProgram(
    env.TEMPORAL_CLI ? path.resolve(env.TEMPORAL_CLI) : temporal,
    'There is no Temporal CLI here. `npm start` gets one; or set TEMPORAL_CLI, or TEMPORAL_ADDRESS.',
  );
}

/** The time-skipping server that the tests use. */
export function findTestServer(): string {
  return requireProgram(readToolchain().testServer, 'There is no time-skipping test server here. `npm test` gets one.');
}

/** For tests on a server as in production, and for the chaos harness. */
export function findPostgresPrograms(): PostgresPrograms {
  const toolchain = readToolchain();
  const findProgram = (name: 'temporalServer' | 'temporalSqlTool' | 'postgres') =>
    requireProgram(
      toolchain[name],
      'There is no Temporal server on PostgreSQL here. `node scripts/setup.mjs --postgres` gets it.',
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
  throw new Error(file ? `${file} is gone. ${installHint}` : installHint);
}

function readToolchain(): Toolchain {
  const file = path.join(findPackageRoot(), 'dist', 'toolchain.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Toolchain) : {};
}
