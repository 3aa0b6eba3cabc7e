import { createLabelLimiter } from '#infra/telemetry/prometheus';
import { formatMetricSeries, type MetricSeries } from '#infra/telemetry/temporal-sdk-metrics';
import { createAnswerChannelLabel } from '#telemetry/conversation-metrics';
import { parsePrometheusSamples } from '#test/support/telemetry/prometheus';

describe('labels', () => {
  it('are at most a hundred, and the rest is other', () => {
    const limitLabel = createLabelLimiter();
    const names = Array.from({ length: 150 }, (_, n) => limitLabel(`tool-${n}`));
    expect(new Set(names).size).toBe(101);
    expect([limitLabel('tool-3'), limitLabel('tool-149')]).toEqual(['tool-3', 'other']);
  });

  it('use only known channels, whatever a signal says', () => {
    const label = createAnswerChannelLabel(['slack']);
    expect(['slack', 'web', 'email', '<script>', undefined].map(label)).toEqual([
      'slack',
      'web',
      'other',
      'other',
      'none',
    ]);
  });
});

it('a histogram is cumulative, as Prometheus expects, with escaped labels', () => {
  const labels = { queue: 'a "b"\\\nc' };
  const values = new Map([['', { labels, value: 7.5, count: 4, counts: [1, 2] }]]);
  const series: MetricSeries = {
    name: 'm_seconds',
    kind: 'histogram',
    help: 'Two\nlines',
    buckets: [1, 5],
    values,
  };
  const text = formatMetricSeries(series);
  expect(text).toContain('# HELP m_seconds Two\\nlines\n# TYPE m_seconds histogram\n');
  expect(parsePrometheusSamples(text).map(({ name, labels: { le }, value }) => [name, le, value])).toEqual([
    ['m_seconds_bucket', '1', 1],
    ['m_seconds_bucket', '5', 3],
    ['m_seconds_bucket', '+Inf', 4],
    ['m_seconds_sum', undefined, 7.5],
    ['m_seconds_count', undefined, 4],
  ]);
  expect(text).toContain('queue="a \\"b\\"\\\\\\nc"');
});
