import type { Metric, MetricTags } from '@temporalio/common';
import { MetricsBuffer } from '@temporalio/worker';
import { type Series, seriesText } from './text';

/** A busy worker makes about a thousand updates a second, and what does not fit is lost. */
const BUFFERED = 50_000;
const DRAIN_MS = 1_000;

/** From a millisecond, a call, to a week, a conversation. */
const BUCKETS = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600, 3_600, 86_400, 604_800,
];

export interface CoreMetrics {
  /** What Temporal's runtime writes its metrics to: one for the process. */
  buffer: MetricsBuffer;
  text(): string;
  stop(): void;
}

/**
 * The metrics of Temporal's own SDK. It would serve them itself, on a port of its own that asks nobody for a key; so they
 * are taken from it one by one and added up here, to stand among the others.
 */
export function createCoreMetrics(): CoreMetrics {
  const buffer = new MetricsBuffer({ maxBufferSize: BUFFERED, useSecondsForDurations: true });
  const kept = new Map<string, Series>();
  const drain = () => {
    for (const { metric, value, attributes } of buffer.retrieveUpdates()) {
      const name = nameOf(metric);
      let series = kept.get(name);
      if (!series) {
        series = {
          name,
          kind: kindOf(metric),
          help: metric.description ?? '',
          buckets: BUCKETS,
          values: new Map(),
        };
        kept.set(name, series);
      }
      add(series, metric, labelsOf(attributes), value);
    }
  };
  const timer = setInterval(drain, DRAIN_MS).unref();
  return {
    buffer,
    text() {
      drain();
      return [...kept.values()].map(seriesText).join('');
    },
    stop: () => clearInterval(timer),
  };
}

/** As Temporal's dashboards know them. */
function nameOf({ name, unit }: Metric): string {
  return unit === 's' ? `${name}_seconds` : name;
}

function kindOf({ kind }: Metric): Series['kind'] {
  return kind === 'histogram' || kind === 'counter' ? kind : 'gauge';
}

function labelsOf({ service_name: _, ...attributes }: MetricTags): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
}

function add(series: Series, { kind }: Metric, labels: Record<string, string>, value: number): void {
  const key = JSON.stringify(labels);
  let at = series.values.get(key);
  if (!at) {
    at = { labels, value: 0, count: 0, counts: series.kind === 'histogram' ? BUCKETS.map(() => 0) : [] };
    series.values.set(key, at);
  }
  at.value = kind === 'gauge' ? value : at.value + value;
  at.count += 1;
  const bucket = series.kind === 'histogram' ? BUCKETS.findIndex((most) => value <= most) : -1;
  if (bucket >= 0) at.counts[bucket] = (at.counts[bucket] ?? 0) + 1;
}
