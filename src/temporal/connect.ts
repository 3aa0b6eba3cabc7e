import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
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

/** The worker's own connection. Memos hold the pending question, well over the size the SDK warns at. */
export function connectWorker(temporal: Temporal): Promise<NativeConnection> {
  return NativeConnection.connect({
    ...temporal.connection,
    address: temporal.address ?? DEFAULT_ADDRESS,
    payloadLimits: { memoWarnSize: 0 },
  } as Parameters<typeof NativeConnection.connect>[0]);
}
