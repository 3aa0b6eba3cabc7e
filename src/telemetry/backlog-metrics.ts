import { createLabelLimiter, type MetricFactory } from '#infra/telemetry/prometheus';

/** Pending questions and task queue backlogs, read from Temporal. */
export interface BacklogSnapshot {
  /** Total number of pending questions. */
  pending: number;
  /** The pending questions that were read, up to a limit. */
  questions: { agent: string; askedAt: number }[];
  queues: { type: 'workflow' | 'activity' | 'delivery'; pollers: number; backlog: number; ageSeconds: number }[];
}

const HOUR_MS = 3_600_000;
const QUESTION_AGE_RANGES: [label: string, below: number][] = [
  ['under 1h', HOUR_MS],
  ['1h to 4h', 4 * HOUR_MS],
  ['4h to 24h', 24 * HOUR_MS],
  ['1d to 3d', 72 * HOUR_MS],
  ['3d to 7d', 168 * HOUR_MS],
  ['over 7d', Number.POSITIVE_INFINITY],
];

/** Caches a read, as there may be several scrapers. Reads take at most a fiftieth of the time. */
const BACKLOG_CACHE_MS = 5_000;
const MIN_IDLE_RATIO = 50;

export type ReadBacklog = () => Promise<BacklogSnapshot>;

/** Metrics of the current state, which Temporal holds: read on each scrape instead of counted. */
export function createBacklogMetrics({ gauge }: MetricFactory, now: () => number = Date.now) {
  const up = gauge('parley_temporal_up', 'Whether Temporal responds right now.');
  const pending = gauge('parley_questions_pending', 'Open questions.');
  const pendingByAge = gauge(
    'parley_questions_pending_by_age',
    'Open questions by age, at most a thousand.',
    'agent',
    'age',
  );
  const pollers = gauge('parley_task_queue_pollers', 'Workers that polled recently.', 'type');
  const backlog = gauge('parley_task_queue_backlog', 'Approximate number of tasks waiting for a worker.', 'type');
  const backlogAge = gauge(
    'parley_task_queue_backlog_age_seconds',
    'Approximate age of the oldest waiting task.',
    'type',
  );
  const limitAgentLabel = createLabelLimiter();
  // Remove values that are stale or were never read, instead of reporting old values or zero.
  const clear = () => {
    for (const staleGauge of [pendingByAge, pollers, backlog, backlogAge]) staleGauge.reset();
    pending.remove();
  };
  clear();
  up.remove();
  let refreshing: Promise<void> | undefined;
  let validUntil = 0;

  const publish = ({ pending: pendingCount, questions, queues }: BacklogSnapshot) => {
    pending.set(pendingCount);
    pendingByAge.reset();
    for (const { agent, askedAt } of questions) {
      const [age = ''] = QUESTION_AGE_RANGES.find(([, below]) => now() - askedAt < below) ?? [];
      pendingByAge.inc({ agent: limitAgentLabel(agent), age });
    }
    for (const { type, ...queue } of queues) {
      pollers.set({ type }, queue.pollers);
      backlog.set({ type }, queue.backlog);
      backlogAge.set({ type }, queue.ageSeconds);
    }
  };
  const readAndPublish = async (readBacklog: ReadBacklog) => {
    const startedAt = now();
    try {
      publish(await readBacklog());
      up.set(1);
      validUntil = now() + Math.max(BACKLOG_CACHE_MS, MIN_IDLE_RATIO * (now() - startedAt));
    } catch {
      clear();
      up.set(0);
      validUntil = now() + BACKLOG_CACHE_MS;
    }
  };
  return {
    async refresh(readBacklog: ReadBacklog): Promise<void> {
      if (now() >= validUntil) refreshing ??= readAndPublish(readBacklog).finally(() => (refreshing = undefined));
      await refreshing;
    },
  };
}
