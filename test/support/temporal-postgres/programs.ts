import { readToolchain, requireProgram } from '#infra/temporal/toolchain';

/** Programs for a Temporal server on PostgreSQL. */
export interface PostgresPrograms {
  temporalServer: string;
  temporalSqlTool: string;
  /** Folder of the PostgreSQL programs. */
  postgres: string;
  /** User for PostgreSQL, which refuses to run as root. */
  postgresUser?: { uid: number; gid: number };
}

/** Returns the programs for tests on a production-like server, and for the chaos harness. */
export function findPostgresPrograms(): PostgresPrograms {
  const toolchain = readToolchain();
  const findProgram = (name: 'temporalServer' | 'temporalSqlTool' | 'postgres') =>
    requireProgram(
      toolchain[name],
      'Temporal server for PostgreSQL not found. `node scripts/setup.mjs --postgres` installs it.',
    );
  // `uid:gid`; set if the setup ran as root.
  const [uid, gid] = toolchain.postgresUser?.split(':').map(Number) ?? [];
  const isRoot = process.getuid?.() === 0 && uid !== undefined && gid !== undefined;
  return {
    temporalServer: findProgram('temporalServer'),
    temporalSqlTool: findProgram('temporalSqlTool'),
    postgres: findProgram('postgres'),
    ...(isRoot ? { postgresUser: { uid, gid } } : {}),
  };
}
