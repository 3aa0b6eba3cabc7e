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
import { markWrites, noteSentWrites } from './sent-writes';

type TemporalConfig = Config['temporal'];

const DEFAULT_TEMPORAL_ADDRESS = '127.0.0.1:7233';

export interface ClientInstrumentation {
  /** Called for each attempt of each gRPC call. */
  grpcInterceptor?: NonNullable<ConnectionOptions['interceptors']>[number];
  clientInterceptors?: ClientInterceptors;
}

/** Creates a client that connects at the first call and reconnects: the API must survive restarts of Temporal. */
export function createTemporalClient(
  temporal: TemporalConfig,
  { grpcInterceptor, clientInterceptors }: ClientInstrumentation = {},
): Client {
  const retries = createGrpcRetries();
  const connection = Connection.lazy({
    ...temporal.connection,
    address: temporal.address ?? DEFAULT_TEMPORAL_ADDRESS,
    interceptors: [markWrites, retries.interceptor, noteSentWrites, ...(grpcInterceptor ? [grpcInterceptor] : [])],
  });
  const close = connection.close.bind(connection);
  connection.close = async () => {
    await retries.drain();
    await close();
  };
  return new Client({
    connection,
    namespace: temporal.namespace,
    dataConverter: createDataConverter(temporal.encryption),
    interceptors: clientInterceptors,
  });
}

/** Returns the worker's connection options. Memos hold the pending question, well over the SDK's warning size. */
export function createWorkerConnectionOptions({ connection, address = DEFAULT_TEMPORAL_ADDRESS }: TemporalConfig) {
  return { ...connection, address, payloadLimits: { memoWarnSize: 0 } } as NativeConnectionOptions;
}

export function connectTemporalWorker(temporal: TemporalConfig): Promise<NativeConnection> {
  return NativeConnection.connect(createWorkerConnectionOptions(temporal));
}

type GrpcStatus = Parameters<GrpcRetryOptions['delayFunction']>[1];

const MAX_RETRY_DELAY_MS = 1_000;
const BUSY_RETRY_DELAY_MS = 15;

/** A run accepts one query while a task is pending. That takes milliseconds, less than the SDK's delay. */
function isQueryBufferFull({ code, details }: GrpcStatus): boolean {
  return code === GRPC_STATUS.RESOURCE_EXHAUSTED && /query buffer/i.test(details);
}

/**
 * Retries calls that fail temporarily, as the SDK does. The SDK does not cancel pending retries when the connection
 * closes, and their timers then throw where nothing can catch the error. `drain` waits for them first.
 */
function createGrpcRetries() {
  const defaults = defaultGrpcRetryOptions();
  const pendingRetries = new Set<Promise<void>>();
  let isClosing = false;
  /** The SDK starts a timer of the same length right after this one, so both have fired when this one resolves. */
  const trackRetry = (delayMs: number) => {
    const retry = new Promise<void>((resolve) => setTimeout(() => setImmediate(resolve), delayMs)).then(() => {
      pendingRetries.delete(retry);
    });
    pendingRetries.add(retry);
  };
  const interceptor = makeGrpcRetryInterceptor({
    delayFunction(attempt, status) {
      const wantedDelayMs = isQueryBufferFull(status)
        ? BUSY_RETRY_DELAY_MS * 1.7 ** attempt
        : defaults.delayFunction(attempt, status);
      const delayMs = Math.min(wantedDelayMs, MAX_RETRY_DELAY_MS);
      trackRetry(delayMs);
      return delayMs;
    },
    retryableDecider: (attempt, status) => !isClosing && defaults.retryableDecider(attempt, status),
  });
  return {
    interceptor,
    async drain(): Promise<void> {
      isClosing = true;
      await Promise.all(pendingRetries);
    },
  };
}
