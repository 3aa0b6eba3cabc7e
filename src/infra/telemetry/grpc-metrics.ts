import type { ConnectionOptions } from '@temporalio/client';
import type { MetricFactory } from './prometheus';

export type GrpcInterceptor = NonNullable<ConnectionOptions['interceptors']>[number];

const GRPC_SECONDS_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 10, 30, 60];
const GRPC_STATUS_NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** Measures calls to Temporal, each attempt separately, by method and status. */
export function createGrpcMetrics(factory: MetricFactory): GrpcInterceptor {
  const calls = factory.counter(
    'parley_temporal_requests_total',
    "Calls to Temporal by the API and by activities. The worker's own calls are in temporal_request.",
    ...['method', 'code'],
  );
  const help = 'Duration of calls to Temporal, including long polls.';
  const duration = factory.histogram('parley_temporal_request_seconds', help, GRPC_SECONDS_BUCKETS, 'method');
  return (options, nextCall) => {
    const method = options.method_definition.path.split('/').at(-1) ?? '';
    const call = nextCall(options);
    const start = call.start.bind(call);
    call.start = (metadata, listener) => {
      const stopTimer = duration.startTimer({ method });
      start(metadata, {
        onReceiveMetadata: (received) => listener?.onReceiveMetadata?.(received),
        onReceiveMessage: (message) => listener?.onReceiveMessage?.(message),
        onReceiveStatus(status) {
          stopTimer();
          calls.inc({ method, code: GRPC_STATUS_NAMES[status.code] ?? 'UNKNOWN' });
          listener?.onReceiveStatus?.(status);
        },
      });
    };
    // The types ask for a class of grpc-js, but only this interface is called.
    return call as ReturnType<GrpcInterceptor>;
  };
}
