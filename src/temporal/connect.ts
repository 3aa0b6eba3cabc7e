import { Client, type ClientInterceptors, Connection, type ConnectionOptions } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '#config';
import { dataConverter } from './converter';
import { createRetries } from './retries';

type Temporal = Config['temporal'];

const DEFAULT_ADDRESS = '127.0.0.1:7233';

/** Who looks on at what a client does. */
export interface Onlookers {
  /** At each attempt of each call. */
  grpc?: NonNullable<ConnectionOptions['interceptors']>[number];
  calls?: ClientInterceptors;
}

/** Connects at the first call, and again whenever it has to: the API outlives Temporal's restarts. */
export function lazyClient(temporal: Temporal, { grpc, calls }: Onlookers = {}): Client {
  const retries = createRetries();
  const connection = Connection.lazy({
    ...temporal.connection,
    address: temporal.address ?? DEFAULT_ADDRESS,
    interceptors: [retries.interceptor, ...(grpc ? [grpc] : [])],
  });
  const close = connection.close.bind(connection);
  connection.close = async () => {
    await retries.settle();
    await close();
  };
  return new Client({
    connection,
    namespace: temporal.namespace,
    dataConverter: dataConverter(temporal.encryption),
    interceptors: calls,
  });
}

/** How a worker connects. Memos hold the pending question, well over the size the SDK warns at. */
export function workerConnection({ connection, address = DEFAULT_ADDRESS }: Temporal) {
  return { ...connection, address, payloadLimits: { memoWarnSize: 0 } } as NativeConnectionOptions;
}

export function connectWorker(temporal: Temporal): Promise<NativeConnection> {
  return NativeConnection.connect(workerConnection(temporal));
}
