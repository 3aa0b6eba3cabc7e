import { Registry } from 'prom-client';
import { createMetricFactory } from '#infra/telemetry/prometheus';
import { type BacklogSnapshot, createBacklogMetrics } from '#telemetry/backlog-metrics';
import { type PrometheusSample, parsePrometheusSamples, sumSamples } from '#test/support/telemetry/prometheus';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const standing: BacklogSnapshot = {
  pending: 3,
  questions: [{ agent: 'a', askedAt: NOW - 2 * HOUR }],
  queues: [{ type: 'workflow', pollers: 2, backlog: 7, ageSeconds: 12 }],
};

describe('what waits', () => {
  let now = NOW;
  const registry = new Registry();
  const { refresh } = createBacklogMetrics(createMetricFactory(registry), () => now);
  const told = async (look: () => Promise<BacklogSnapshot>): Promise<PrometheusSample[]> => {
    await refresh(look);
    return parsePrometheusSamples(await registry.metrics());
  };

  it('is not told as nought where nobody looks', async () => {
    expect(parsePrometheusSamples(await registry.metrics())).toEqual([]);
  });

  it('is looked at once for all who come within five seconds', async () => {
    let looks = 0;
    const look = async () => {
      looks += 1;
      return standing;
    };
    const [samples] = await Promise.all([told(look), told(look)]);
    expect(sumSamples(samples ?? [], 'parley_questions_pending_by_age', { agent: 'a', age: '1h to 4h' })).toBe(1);
    now += 4_000;
    await told(look);
    expect(looks).toBe(1);
    now += 2_000;
    await told(look);
    expect(looks).toBe(2);
  });

  it('is not told while Temporal is away, and told again right after', async () => {
    now += 10_000;
    const samples = await told(async () => {
      now += 3_000;
      throw new Error('away');
    });
    expect(samples).toEqual([{ name: 'parley_temporal_up', labels: {}, value: 0 }]);
    now += 5_000;
    expect(sumSamples(await told(async () => standing), 'parley_questions_pending')).toBe(3);
  });
});
