import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../config';
import { dataConverter } from './converter';
import { createRetries } from './retries';

type Temporal = Config['temporal'];

const DEFAULT_ADDRESS = '127.0.0.1:7233';

/** Connects at the first call, and again whenever it has to: the API outlives Temporal's restarts. */
export function lazyClient(temporal: Temporal): Client {
  const retries = createRetries();
  const connection = Connection.lazy({
    ...temporal.connection,
    address: temporal.address ?? DEFAULT_ADDRESS,
    interceptors: [retries.interceptor],
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
  });
}

/** How a worker connects. Memos hold the pending question, well over the size the SDK warns at. */
export function workerConnection({ connection, address = DEFAULT_ADDRESS }: Temporal) {
  return { ...connection, address, payloadLimits: { memoWarnSize: 0 } } as NativeConnectionOptions;
}

export function connectWorker(temporal: Temporal): Promise<NativeConnection> {
  return NativeConnection.connect(workerConnection(temporal));
}
