import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What is counted and measured with, all of it in one registry. */
export interface Instruments {
  counter(name: string, help: string, ...labels: string[]): Counter;
  gauge(name: string, help: string, ...labels: string[]): Gauge;
  /** In seconds. */
  histogram(name: string, help: string, buckets: number[], ...labels: string[]): Histogram;
}

export function instrumentsIn(registry: Registry): Instruments {
  const registers = [registry];
  return {
    counter: (name, help, ...labelNames) => new Counter({ name, help, labelNames, registers }),
    gauge: (name, help, ...labelNames) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name, help, buckets, ...labelNames) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  };
}
