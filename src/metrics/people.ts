import { Counter, Histogram, type Registry } from 'prom-client';
import type { Fact } from '../workflows/tally';
import { bounded, wayOf } from './labels';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long people take: from seconds to a week. */
export const WAITS = [1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY];
const RESUMES = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, MINUTE, 10 * MINUTE, HOUR];

/** What happened to people's questions, told by the workflow as it happens and never again when it is replayed. */
export function peopleMetrics(registers: Registry[], now: () => number = Date.now): (fact: Fact) => void {
  const begun = new Counter({
    name: 'parley_conversations_begun_total',
    help: 'Conversations that began, or were taken up again.',
    labelNames: ['agent', 'how'],
    registers,
  });
  const ended = new Counter({
    name: 'parley_conversations_ended_total',
    help: 'Conversations that ended; code says why one failed.',
    labelNames: ['agent', 'status', 'code'],
    registers,
  });
  const asked = new Counter({
    name: 'parley_questions_asked_total',
    help: 'Questions that were put to people.',
    labelNames: ['agent'],
    registers,
  });
  const settled = new Counter({
    name: 'parley_questions_settled_total',
    help: 'Questions by what became of them; policy is what was done where nobody answered in time.',
    labelNames: ['agent', 'channel', 'outcome', 'policy'],
    registers,
  });
  const waited = new Histogram({
    name: 'parley_question_wait_seconds',
    help: 'Time awaiting input: from asking to the outcome.',
    labelNames: ['agent', 'channel', 'outcome'],
    buckets: WAITS,
    registers,
  });
  const resumed = new Histogram({
    name: 'parley_resume_seconds',
    help: 'From the outcome, an answer by when it was received, to the next step of the conversation.',
    labelNames: ['agent', 'channel'],
    buckets: RESUMES,
    registers,
  });
  const told = new Counter({
    name: 'parley_notices_total',
    help: 'What people were told of open questions, or could not be.',
    labelNames: ['agent', 'channel', 'kind', 'outcome'],
    registers,
  });
  const compacted = new Counter({
    name: 'parley_compactions_total',
    help: 'Times that older turns were summarised to make room.',
    labelNames: ['agent'],
    registers,
  });
  const rolledOver = new Counter({
    name: 'parley_roll_overs_total',
    help: 'Conversations that went on in a new run.',
    labelNames: ['agent'],
    registers,
  });
  const nameOf = bounded();
  const codeOf = bounded();
  const channelNamed = bounded();
  return (fact) => {
    const agent = nameOf(fact.agent);
    switch (fact.is) {
      case 'begun':
        return begun.inc({ agent, how: fact.how });
      case 'ended':
        return ended.inc({ agent, status: fact.status, code: codeOf(fact.code ?? '') });
      case 'asked':
        return asked.inc({ agent });
      case 'settled': {
        const channel = wayOf(fact.via);
        const { outcome, policy = '', askedAt, at } = fact;
        settled.inc({ agent, channel, outcome, policy });
        waited.observe({ agent, channel, outcome }, seconds(at - askedAt));
        if (fact.goesOn) resumed.observe({ agent, channel }, seconds(now() - at));
        return;
      }
      case 'told': {
        const { kind, outcome } = fact;
        return told.inc({ agent, channel: channelNamed(fact.channel), kind, outcome });
      }
      case 'compacted':
        return compacted.inc({ agent });
      case 'rolledOver':
        return rolledOver.inc({ agent });
    }
  };
}

/** Clocks of two machines differ a little. */
function seconds(ms: number): number {
  return Math.max(0, ms) / 1_000;
}
