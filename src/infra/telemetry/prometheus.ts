import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Creates metrics in one registry. */
export interface MetricFactory {
  counter(name: string, help: string, ...labels: string[]): Counter;
  gauge(name: string, help: string, ...labels: string[]): Gauge;
  /** Buckets are in seconds. */
  histogram(name: string, help: string, buckets: number[], ...labels: string[]): Histogram;
}

export function createMetricFactory(registry: Registry): MetricFactory {
  const registers = [registry];
  return {
    counter: (name, help, ...labelNames) => new Counter({ name, help, labelNames, registers }),
    gauge: (name, help, ...labelNames) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name, help, buckets, ...labelNames) => new Histogram({ name, help, buckets, labelNames, registers }),
  };
}

/** Label value for all values over the limit. */
export const OTHER_LABEL = 'other';

/** Limit of values per label: each is a separate time series in Prometheus. */
const MAX_LABEL_VALUES = 100;

/**
 * Keeps the first values and maps all others to `other`. Names come from files and servers, and must not flood
 * Prometheus.
 */
export function createLabelLimiter(maxValues = MAX_LABEL_VALUES): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= maxValues) return OTHER_LABEL;
    known.add(value);
    return value;
  };
}
