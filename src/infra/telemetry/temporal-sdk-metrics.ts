import type { Metric, MetricTags } from '@temporalio/common';
import { MetricsBuffer } from '@temporalio/worker';

/** A busy worker makes about a thousand updates per second. Updates over the limit are lost. */
const MAX_BUFFERED_UPDATES = 50_000;
const DRAIN_INTERVAL_MS = 1_000;

/** From a millisecond (a call) to a week (a conversation). */
const SDK_SECONDS_BUCKETS = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600, 3_600, 86_400, 604_800,
];

export type TemporalSdkMetrics = ReturnType<typeof createTemporalSdkMetrics>;

/**
 * Collects the metrics of Temporal's SDK. The SDK could serve them itself, but on a separate port without
 * authentication, so they are aggregated here and served with the others.
 */
export function createTemporalSdkMetrics() {
  const buffer = new MetricsBuffer({ maxBufferSize: MAX_BUFFERED_UPDATES, useSecondsForDurations: true });
  const seriesByName = new Map<string, MetricSeries>();
  const drain = () => {
    for (const { metric, value, attributes } of buffer.retrieveUpdates()) {
      // The name that Temporal's dashboards use.
      const name = metric.unit === 's' ? `${metric.name}_seconds` : metric.name;
      let series = seriesByName.get(name);
      if (!series) {
        series = {
          name,
          kind: metric.kind === 'histogram' || metric.kind === 'counter' ? metric.kind : 'gauge',
          help: metric.description ?? '',
          buckets: SDK_SECONDS_BUCKETS,
          values: new Map(),
        };
        seriesByName.set(name, series);
      }
      addToSeries(series, metric, toPrometheusLabels(attributes), value);
    }
  };
  const timer = setInterval(drain, DRAIN_INTERVAL_MS).unref();
  return {
    /** The metrics buffer of Temporal's runtime; one per process. */
    buffer,
    text(): string {
      drain();
      return [...seriesByName.values()].map(formatMetricSeries).join('');
    },
    stop: () => clearInterval(timer),
  };
}

function toPrometheusLabels({ service_name: _, ...attributes }: MetricTags): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
}

function addToSeries(series: MetricSeries, { kind }: Metric, labels: Record<string, string>, value: number): void {
  const key = JSON.stringify(labels);
  let point = series.values.get(key);
  if (!point) {
    point = {
      labels,
      value: 0,
      count: 0,
      counts: series.kind === 'histogram' ? SDK_SECONDS_BUCKETS.map(() => 0) : [],
    };
    series.values.set(key, point);
  }
  point.value = kind === 'gauge' ? value : point.value + value;
  point.count += 1;
  const bucket = series.kind === 'histogram' ? SDK_SECONDS_BUCKETS.findIndex((upperBound) => value <= upperBound) : -1;
  if (bucket >= 0) point.counts[bucket] = (point.counts[bucket] ?? 0) + 1;
}

/** A metric whose labels are discovered with its values. */
export interface MetricSeries {
  name: string;
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  buckets: readonly number[];
  /** Values by label set. */
  values: Map<string, { labels: Record<string, string>; value: number; count: number; counts: number[] }>;
}

export function formatMetricSeries({ name, kind, help, buckets, values }: MetricSeries): string {
  const lines = [`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${kind}`];
  for (const { labels, value, count, counts } of values.values()) {
    if (kind !== 'histogram') {
      lines.push(`${name}${formatMetricLabels(labels)} ${value}`);
      continue;
    }
    let cumulativeCount = 0;
    buckets.forEach((upperBound, index) => {
      cumulativeCount += counts[index] ?? 0;
      lines.push(`${name}_bucket${formatMetricLabels({ ...labels, le: String(upperBound) })} ${cumulativeCount}`);
    });
    lines.push(`${name}_bucket${formatMetricLabels({ ...labels, le: '+Inf' })} ${count}`);
    lines.push(
      `${name}_sum${formatMetricLabels(labels)} ${value}`,
      `${name}_count${formatMetricLabels(labels)} ${count}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function formatMetricLabels(labels: Record<string, string>): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`,
  );
  return parts.length > 0 ? `{${parts.join(',')}}` : '';
}
