import type { ConnectionOptions } from '@temporalio/client';
import { GRPC_STATUS } from '#infra/temporal/errors';
import type { MetricFactory } from './prometheus';

export type GrpcInterceptor = NonNullable<ConnectionOptions['interceptors']>[number];

const GRPC_SECONDS_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 10, 30, 60];
const STATUS_NAMES = new Map<number, string>(Object.entries(GRPC_STATUS).map(([name, code]) => [code, name]));

/** Measures calls to Temporal, each attempt separately, by method and status. */
export function createGrpcMetrics({ counter, histogram }: MetricFactory): GrpcInterceptor {
  const calls = counter(
    'parley_temporal_requests_total',
    "Calls to Temporal by the API and by activities. The worker's own calls are in temporal_request.",
    ...['method', 'code'],
  );
  const help = 'Duration of calls to Temporal, including long polls.';
  const duration = histogram('parley_temporal_request_seconds', help, GRPC_SECONDS_BUCKETS, 'method');
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
          calls.inc({ method, code: STATUS_NAMES.get(status.code) ?? 'UNKNOWN' });
          listener?.onReceiveStatus?.(status);
        },
      });
    };
    // The types ask for a class of grpc-js, but only this interface is called.
    return call as ReturnType<GrpcInterceptor>;
  };
}
