import { DATABASE_USER, type Database } from './database';
import { STORES } from './schema';

const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
/** As many as one machine can use. In production it is a matter of the cluster's size, and fixed for good. */
const SHARDS = 4;

/** The ports a server needs: two for each of its services, and one for the frontend's HTTP. */
export const PORTS_NEEDED = 2 * SERVICES.length + 1;

/** Of a whole Temporal server in one process, with the defaults of its own wherever there are any. */
export function configurationOf(database: Database, ports: readonly number[], dynamicFile: string): object {
  const address = `127.0.0.1:${ports[0]}`;
  const services = SERVICES.map((service, place) => {
    const [grpcPort, membershipPort] = [ports[2 * place], ports[2 * place + 1]];
    const http = service === 'frontend' ? { httpPort: ports.at(-1) } : {};
    return [service, { rpc: { grpcPort, membershipPort, bindOnIP: '127.0.0.1', ...http } }];
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: {
        default: store(database, STORES.temporal, 20),
        visibility: store(database, STORES.visibility, 10),
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

function store({ port, password }: Database, databaseName: string, connections: number): object {
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

/** Dynamic settings, as `name=value`, as that file has them: JSON is YAML, too. */
export function dynamicOf(settings: string[]): string {
  const entries = settings.map((setting) => {
    const [name = '', value = ''] = setting.split('=');
    return [name, [{ value: JSON.parse(value) }]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
