import { GRPC_STATUS } from '#infra/temporal/errors';
import { createStatusInterceptor, type GrpcInterceptor } from '#infra/temporal/grpc-interceptor';
import type { MetricFactory } from './prometheus';

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
  return createStatusInterceptor((options) => {
    const method = options.method_definition.path.split('/').at(-1) ?? '';
    const stopTimer = duration.startTimer({ method });
    return (status) => {
      stopTimer();
      calls.inc({ method, code: STATUS_NAMES.get(status.code) ?? 'UNKNOWN' });
    };
  });
}
