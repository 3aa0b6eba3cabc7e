import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DATABASE_USER, type PostgresDatabase } from './postgres-database';

const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
/** Enough for one machine. In production it depends on the cluster's size, and can never be changed. */
const HISTORY_SHARDS = 4;

/** Number of ports for a server: two for each service, and one for the frontend's HTTP. */
export const TEMPORAL_PORT_COUNT = 2 * SERVICES.length + 1;

/** Creates the configuration of a complete Temporal server in one process, with its defaults where possible. */
export function createTemporalConfiguration(
  database: PostgresDatabase,
  ports: readonly number[],
  dynamicFile: string,
): object {
  const address = `127.0.0.1:${ports[0]}`;
  const services = SERVICES.map((service, index) => {
    const [grpcPort, membershipPort] = [ports[2 * index], ports[2 * index + 1]];
    const http = service === 'frontend' ? { httpPort: ports.at(-1) } : {};
    return [service, { rpc: { grpcPort, membershipPort, bindOnIP: '127.0.0.1', ...http } }];
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: {
        default: createDatastore(database, DATABASE_NAMES.temporal, 20),
        visibility: createDatastore(database, DATABASE_NAMES.visibility, 10),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
      },
    },
    dynamicConfigClient: { filepath: dynamicFile, pollInterval: '1m' },
    dcRedirectionPolicy: { policy: 'noop' },
  };
}

function createDatastore({ port, password }: PostgresDatabase, databaseName: string, connections: number): object {
  return {
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user: DATABASE_USER,
      password,
      maxConns: connections,
      maxIdleConns: connections,
      maxConnLifetime: '1h',
    },
  };
}

/** Formats dynamic settings, given as `name=value`, for the file. JSON is valid YAML. */
export function formatDynamicConfig(settings: string[]): string {
  const entries = settings.map((setting) => {
    const [name = '', value = ''] = setting.split('=');
    return [name, [{ value: JSON.parse(value) }]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

const execFileAsync = promisify(execFile);

/** Temporal's two databases, named as in its own images. */
const DATABASE_NAMES = { temporal: 'temporal', visibility: 'temporal_visibility' };

/** Creates the schema with the same tool as docker-compose.yml. */
export async function createTemporalSchema(tool: string, { port, password }: PostgresDatabase): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(port),
    SQL_USER: DATABASE_USER,
    SQL_PASSWORD: password,
  };
  const runSqlTool = (database: string, ...args: string[]) =>
    execFileAsync(tool, ['--database', database, ...args], { env });
  // PostgreSQL creates a database as a copy of another, and only one at a time.
  for (const database of Object.values(DATABASE_NAMES)) await runSqlTool(database, 'create-database');
  const stores = Object.entries(DATABASE_NAMES).map(async ([schema, database]) => {
    await runSqlTool(database, 'setup-schema', '--version', '0.0');
    await runSqlTool(database, 'update-schema', '--schema-name', `postgresql/v12/${schema}`);
  });
  await Promise.all(stores);
}
