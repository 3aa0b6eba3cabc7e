import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '#config';
import { createLog } from '#log';
import { lazyClient } from '#temporal/connect';
import { prepareNamespace } from '#temporal/namespace';
import { type PostgresPrograms, postgresPrograms } from '#temporal/toolchain';
import { configurationOf, dynamicOf, PORTS_NEEDED } from './configuration';
import { makeDatabase } from './database';
import { type Household, openHousehold } from './household';
import { freePorts } from './ports';
import { untilAnswering } from './readiness';
import { makeSchema } from './schema';
import type { TemporalServer } from './server';

export interface PostgresServerOptions {
  /** Made; must be empty where it is there. Goes with the server. */
  folder: string;
  /** Told, in a sentence, what a person may want to know. */
  log: (sentence: string) => void;
  /** Made, with what Parley's conversations are found by. `default` unless told. */
  namespaces?: string[];
  /** Off, what PostgreSQL was told to keep need not survive a crash of the machine: faster, for tests that crash nothing. */
  isDurable?: boolean;
  /** Dynamic settings of the server's own, as `name=value`. */
  dynamic?: string[];
}

/**
 * A Temporal server as production has it: all its services, four history shards, PostgreSQL beneath. Whatever ends us
 * ends it too.
 */
export async function startPostgresServer(options: PostgresServerOptions): Promise<TemporalServer> {
  const { log, namespaces = ['default'], isDurable = true, dynamic = [] } = options;
  const began = Date.now();
  const programs = postgresPrograms();
  const household = openHousehold(emptyFolder(options.folder));
  try {
    const address = await raise(household, programs, { isDurable, dynamic });
    await Promise.all(namespaces.map((namespace) => prepare(address, namespace)));
    const seconds = Math.round((Date.now() - began) / 1000);
    log(`A Temporal server on PostgreSQL is up at ${address} after ${seconds} s.`);
    return { address, parts: household.parts, stop: household.stop };
  } catch (error) {
    await household.stop();
    throw error;
  }
}

/** The database, what is in it, and the server on it. */
async function raise(
  { folder, begin }: Household,
  programs: PostgresPrograms,
  { isDurable, dynamic }: Required<Pick<PostgresServerOptions, 'isDurable' | 'dynamic'>>,
): Promise<string> {
  const [databasePort = 0, ...ports] = await freePorts(1 + PORTS_NEEDED);
  const [port = 0] = ports;
  const database = await makeDatabase(folder, databasePort, programs, isDurable);
  await begin(database.program);
  await makeSchema(programs.temporalSqlTool, database);
  const file = path.join(folder, 'temporal.json');
  const dynamicFile = path.join(folder, 'dynamic.yaml');
  writeFileSync(dynamicFile, dynamicOf(dynamic));
  const configuration = configurationOf(database, ports, dynamicFile);
  writeFileSync(file, JSON.stringify(configuration, null, 2), { mode: 0o600 });
  await begin({
    name: 'temporal',
    command: programs.temporalServer,
    args: ['--config-file', file, '--allow-no-auth', 'start'],
    options: { cwd: folder, env: { PATH: process.env.PATH } },
    untilUp: (_pid, given) => untilAnswering(port, given),
    endWith: 'SIGKILL',
  });
  return `127.0.0.1:${port}`;
}

function emptyFolder(given: string): string {
  mkdirSync(given, { recursive: true });
  if (readdirSync(given).length > 0)
    throw new Error(
      `${given} is not empty, and would be removed with the server: give it a folder of its own.`,
    );
  return realpathSync(given);
}

async function prepare(address: string, namespace: string): Promise<void> {
  const config = readConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
  const client = lazyClient(config.temporal);
  try {
    await prepareNamespace(client, config, createLog('silent'));
  } finally {
    await client.connection.close();
  }
}
