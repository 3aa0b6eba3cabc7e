import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DATABASE_USER, type Database } from './database';

const run = promisify(execFile);

/** Temporal's two databases, by the names that its own images give them. */
export const STORES = { temporal: 'temporal', visibility: 'temporal_visibility' };

/** As docker-compose.yml does it, by the same tool. */
export async function makeSchema(tool: string, { port, password }: Database): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(port),
    SQL_USER: DATABASE_USER,
    SQL_PASSWORD: password,
  };
  const on = (database: string, ...words: string[]) => run(tool, ['--database', database, ...words], { env });
  // PostgreSQL copies one database for another, and only one at a time.
  for (const database of Object.values(STORES)) await on(database, 'create-database');
  const stores = Object.entries(STORES).map(async ([schema, database]) => {
    await on(database, 'setup-schema', '--version', '0.0');
    await on(database, 'update-schema', '--schema-name', `postgresql/v12/${schema}`);
  });
  await Promise.all(stores);
}
