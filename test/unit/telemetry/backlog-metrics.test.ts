import { Registry } from 'prom-client';
import { createMetricFactory } from '#infra/telemetry/prometheus';
import { type BacklogSnapshot, createBacklogMetrics } from '#telemetry/backlog-metrics';
import { type PrometheusSample, parsePrometheusSamples, sumSamples } from '#test/support/telemetry/prometheus';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const snapshot: BacklogSnapshot = {
  pending: 3,
  questions: [{ agent: 'a', askedAt: NOW - 2 * HOUR }],
  queues: [{ type: 'workflow', pollers: 2, backlog: 7, ageSeconds: 12 }],
};

describe('the backlog metrics', () => {
  let now = NOW;
  const registry = new Registry();
  const { refresh } = createBacklogMetrics(createMetricFactory(registry), () => now);
  const samplesAfterRefresh = async (readBacklog: () => Promise<BacklogSnapshot>): Promise<PrometheusSample[]> => {
    await refresh(readBacklog);
    return parsePrometheusSamples(await registry.metrics());
  };

  it('are absent rather than zero if they are not measured', async () => {
    expect(parsePrometheusSamples(await registry.metrics())).toEqual([]);
  });

  it('are measured once for all scrapes within five seconds', async () => {
    let readCount = 0;
    const readBacklog = async () => {
      readCount += 1;
      return snapshot;
    };
    const [samples] = await Promise.all([samplesAfterRefresh(readBacklog), samplesAfterRefresh(readBacklog)]);
    expect(sumSamples(samples ?? [], 'parley_questions_pending_by_age', { agent: 'a', age: '1h to 4h' })).toBe(1);
    now += 4_000;
    await samplesAfterRefresh(readBacklog);
    expect(readCount).toBe(1);
    now += 2_000;
    await samplesAfterRefresh(readBacklog);
    expect(readCount).toBe(2);
  });

  it('are absent while Temporal is down, and back right after', async () => {
    now += 10_000;
    const samples = await samplesAfterRefresh(async () => {
      now += 3_000;
      throw new Error('away');
    });
    expect(samples).toEqual([{ name: 'parley_temporal_up', labels: {}, value: 0 }]);
    now += 5_000;
    expect(sumSamples(await samplesAfterRefresh(async () => snapshot), 'parley_questions_pending')).toBe(3);
  });
});
