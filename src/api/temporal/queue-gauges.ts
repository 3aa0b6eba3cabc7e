import type { BacklogSnapshot } from '#telemetry/backlog-metrics';
import type { TemporalGateway } from './gateway';
import { buildVisibilityQuery, STATUS_CLAUSES } from './visibility-query';

const MAX_SAMPLED = 1_000;

/** What waits for people, and what for workers, in four calls: however much it is, no workflow is woken. */
export async function collectQueueStats(gateway: TemporalGateway): Promise<BacklogSnapshot> {
  const visibilityQuery = buildVisibilityQuery(STATUS_CLAUSES.waiting_for_input);
  const [pending, { runs }, queues] = await Promise.all([
    gateway.count(visibilityQuery),
    gateway.list(visibilityQuery, MAX_SAMPLED),
    gateway.queueStats(),
  ]);
  const questions = runs.flatMap(({ memo: { question } }) =>
    question ? [{ agent: question.agent, askedAt: Date.parse(question.askedAt) }] : [],
  );
  return { pending, questions, queues };
}
