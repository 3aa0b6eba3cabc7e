import type { BacklogSnapshot } from '#telemetry/backlog-metrics';
import type { Gateway } from './gateway';
import { STATUS, visibility } from './visibility';

const LOOKED_AT = 1_000;

/** What waits for people, and what for workers, in four calls: however much it is, no workflow is woken. */
export async function lookAtStanding(gateway: Gateway): Promise<BacklogSnapshot> {
  const waiting = visibility(STATUS.waiting_for_input);
  const [pending, { runs }, queues] = await Promise.all([
    gateway.count(waiting),
    gateway.list(waiting, LOOKED_AT),
    gateway.queueStats(),
  ]);
  const questions = runs.flatMap(({ memo: { question } }) =>
    question ? [{ agent: question.agent, askedAt: Date.parse(question.askedAt) }] : [],
  );
  return { pending, questions, queues };
}
