import { Client, type ClientInterceptors, Connection, type ConnectionOptions } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../config';
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

/** The worker's own connection. Memos hold the pending question, well over the size the SDK warns at. */
export function connectWorker(temporal: Temporal): Promise<NativeConnection> {
  return NativeConnection.connect({
    ...temporal.connection,
    address: temporal.address ?? DEFAULT_ADDRESS,
    payloadLimits: { memoWarnSize: 0 },
  } as Parameters<typeof NativeConnection.connect>[0]);
}
