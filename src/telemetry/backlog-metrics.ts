import { createLabelLimiter, type MetricFactory } from '#infra/telemetry/prometheus';

/** What waits, as Temporal tells it. */
export interface BacklogSnapshot {
  /** All that wait for somebody. */
  pending: number;
  /** Those of them that were looked at. */
  questions: { agent: string; askedAt: number }[];
  queues: { type: 'workflow' | 'activity'; pollers: number; backlog: number; ageSeconds: number }[];
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

/** Several scrapers may come; and a look must never be more than a fiftieth of what the API does. */
const BACKLOG_CACHE_MS = 5_000;
const MIN_IDLE_RATIO = 50;

export type ReadBacklog = () => Promise<BacklogSnapshot>;

/** What is true at the moment of asking, which nobody has to count: kept by Temporal, and read from it when somebody scrapes. */
export function createBacklogMetrics({ gauge }: MetricFactory, now: () => number = Date.now) {
  const up = gauge('parley_temporal_up', "Whether Temporal's server answered just now.");
  const pending = gauge('parley_questions_pending', 'Questions that wait for somebody.');
  const ages = gauge(
    'parley_questions_pending_by_age',
    'Of the questions that wait, a thousand at most, by how long they have.',
    'agent',
    'age',
  );
  const pollers = gauge('parley_task_queue_pollers', 'Workers that asked for work of late.', 'type');
  const backlog = gauge('parley_task_queue_backlog', 'Tasks that no worker has taken, about.', 'type');
  const age = gauge('parley_task_queue_backlog_age_seconds', 'How old the oldest of them is, about.', 'type');
  const agentNamed = createLabelLimiter();
  // What was true is not told as if it still were, and nought is not told where nobody has looked.
  const forget = () => {
    for (const gone of [ages, pollers, backlog, age]) gone.reset();
    pending.remove();
  };
  forget();
  up.remove();
  let looked: Promise<void> | undefined;
  let until = 0;

  const write = ({ pending: total, questions, queues }: BacklogSnapshot) => {
    pending.set(total);
    ages.reset();
    for (const { agent, askedAt } of questions)
      ages.inc({ agent: agentNamed(agent), age: toAgeLabel(now() - askedAt) });
    for (const { type, ...queue } of queues) {
      pollers.set({ type }, queue.pollers);
      backlog.set({ type }, queue.backlog);
      age.set({ type }, queue.ageSeconds);
    }
  };
  const look = async (at: ReadBacklog) => {
    const began = now();
    try {
      write(await at());
      up.set(1);
      until = now() + Math.max(BACKLOG_CACHE_MS, MIN_IDLE_RATIO * (now() - began));
    } catch {
      forget();
      up.set(0);
      until = now() + BACKLOG_CACHE_MS;
    }
  };
  return {
    async refresh(at: ReadBacklog): Promise<void> {
      if (now() >= until) looked ??= look(at).finally(() => (looked = undefined));
      await looked;
    },
  };
}

function toAgeLabel(ms: number): string {
  return QUESTION_AGE_RANGES.find(([, below]) => ms < below)?.[0] ?? '';
}
