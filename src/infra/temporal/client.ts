import {
  Client,
  type ClientInterceptors,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  type GrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '#infra/config';
import { createDataConverter } from './codec/data-converter';
import { GRPC_STATUS } from './errors';

type TemporalConfig = Config['temporal'];

const DEFAULT_TEMPORAL_ADDRESS = '127.0.0.1:7233';

/** Who looks on at what a client does. */
export interface ClientInstrumentation {
  /** At each attempt of each call. */
  grpc?: NonNullable<ConnectionOptions['interceptors']>[number];
  calls?: ClientInterceptors;
}

/** Connects at the first call, and again whenever it has to: the API outlives Temporal's restarts. */
export function createTemporalClient(temporal: TemporalConfig, { grpc, calls }: ClientInstrumentation = {}): Client {
  const retries = createGrpcRetries();
  const connection = Connection.lazy({
    ...temporal.connection,
    address: temporal.address ?? DEFAULT_TEMPORAL_ADDRESS,
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
    dataConverter: createDataConverter(temporal.encryption),
    interceptors: calls,
  });
}

/** How a worker connects. Memos hold the pending question, well over the size the SDK warns at. */
export function createWorkerConnectionOptions({ connection, address = DEFAULT_TEMPORAL_ADDRESS }: TemporalConfig) {
  return { ...connection, address, payloadLimits: { memoWarnSize: 0 } } as NativeConnectionOptions;
}

export function connectTemporalWorker(temporal: TemporalConfig): Promise<NativeConnection> {
  return NativeConnection.connect(createWorkerConnectionOptions(temporal));
}

type GrpcStatus = Parameters<GrpcRetryOptions['delayFunction']>[1];

const MAX_RETRY_DELAY_MS = 1_000;
const BUSY_RETRY_DELAY_MS = 15;

/** A run takes one query while a task is pending; that is over in milliseconds, and not for seconds as the SDK fears. */
function isQueryBufferFull({ code, details }: GrpcStatus): boolean {
  return code === GRPC_STATUS.RESOURCE_EXHAUSTED && /query buffer/i.test(details);
}

/**
 * Calls that fail in passing are made again, as the SDK does. It forgets those that wait for their turn when the
 * connection closes: their timers then throw where nobody can catch it. `settle` lets them have it first.
 */
function createGrpcRetries() {
  const usual = defaultGrpcRetryOptions();
  const turns = new Set<Promise<void>>();
  let isClosing = false;
  /** The SDK sets its timer right after this one, for as long: by the time this one resolves, both have fired. */
  const noteTurn = (waits: number) => {
    const turn = new Promise<void>((resolve) => setTimeout(() => setImmediate(resolve), waits)).then(() => {
      turns.delete(turn);
    });
    turns.add(turn);
  };
  const interceptor = makeGrpcRetryInterceptor({
    delayFunction(attempt, status) {
      const delay = isQueryBufferFull(status)
        ? BUSY_RETRY_DELAY_MS * 1.7 ** attempt
        : usual.delayFunction(attempt, status);
      const waits = Math.min(delay, MAX_RETRY_DELAY_MS);
      noteTurn(waits);
      return waits;
    },
    retryableDecider: (attempt, status) => !isClosing && usual.retryableDecider(attempt, status),
  });
  return {
    interceptor,
    async settle(): Promise<void> {
      isClosing = true;
      await Promise.all(turns);
    },
  };
}
