import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type MetricFactory = ReturnType<typeof createMetricFactory>;

/** Creates metrics in one registry. Buckets are in seconds. */
export function createMetricFactory(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, ...labelNames: string[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, ...labelNames: string[]) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  };
}

/** Label value for all values over the limit. */
export const OTHER_LABEL = 'other';

/** Limit of values per label: each is a separate time series in Prometheus. */
const MAX_LABEL_VALUES = 100;

/** Keeps the first values and maps others to `other`: names from files and servers must not flood Prometheus. */
export function createLabelLimiter(maxValues = MAX_LABEL_VALUES): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= maxValues) return OTHER_LABEL;
    known.add(value);
    return value;
  };
}
