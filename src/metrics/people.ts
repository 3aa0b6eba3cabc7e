import type { Fact } from '#workflows/tally';
import type { Instruments } from './instruments';
import { bounded, wayOf } from './labels';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long people take: from seconds to a week. */
const WAITS = [1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY];
const RESUMES = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, MINUTE, 10 * MINUTE, HOUR];

type Settled = Extract<Fact, { is: 'settled' }>;

/** What happened to people's questions, told by the workflow as it happens and never again when it is replayed. */
export function peopleMetrics(make: Instruments): (fact: Fact) => void {
  const settled = questionMetrics(make);
  const told = make.counter(
    'parley_notices_total',
    'What people were told of open questions, or could not be.',
    ...['agent', 'channel', 'kind', 'outcome'],
  );
  const asked = make.counter('parley_questions_asked_total', 'Questions that were put to people.', 'agent');
  const lives = lifeMetrics(make);
  const agentNamed = bounded();
  const channelNamed = bounded();
  return (fact) => {
    const agent = agentNamed(fact.agent);
    if (fact.is === 'asked') asked.inc({ agent });
    else if (fact.is === 'settled') settled(agent, fact);
    else if (fact.is === 'told') {
      const { kind, outcome } = fact;
      told.inc({ agent, channel: channelNamed(fact.channel), kind, outcome });
    } else lives(agent, fact);
  };
}

function questionMetrics(make: Instruments): (agent: string, fact: Settled) => void {
  const settled = make.counter(
    'parley_questions_settled_total',
    'Questions by what became of them; policy is what was done where nobody answered in time.',
    ...['agent', 'channel', 'outcome', 'policy'],
  );
  const waited = make.histogram(
    'parley_question_wait_seconds',
    'Time awaiting input: from asking to the outcome.',
    WAITS,
    ...['agent', 'channel', 'outcome'],
  );
  const resumed = make.histogram(
    'parley_resume_seconds',
    'From the outcome, an answer by when it was received, to the next step of the conversation.',
    RESUMES,
    ...['agent', 'channel'],
  );
  return (agent, { via, outcome, policy = '', askedAt, at, goesOn }) => {
    const channel = wayOf(via);
    settled.inc({ agent, channel, outcome, policy });
    waited.observe({ agent, channel, outcome }, seconds(at - askedAt));
    if (goesOn) resumed.observe({ agent, channel }, seconds(Date.now() - at));
  };
}

type Life = Exclude<Fact, { is: 'asked' | 'settled' | 'told' }>;

function lifeMetrics(make: Instruments): (agent: string, fact: Life) => void {
  const begun = make.counter(
    'parley_conversations_begun_total',
    'Conversations that began, or were taken up again.',
    ...['agent', 'how'],
  );
  const ended = make.counter(
    'parley_conversations_ended_total',
    'Conversations that ended; code says why one failed.',
    ...['agent', 'status', 'code'],
  );
  const about = {
    compacted: make.counter(
      'parley_compactions_total',
      'Times that older turns were summarised to make room.',
      'agent',
    ),
    rolledOver: make.counter('parley_roll_overs_total', 'Conversations that went on in a new run.', 'agent'),
  };
  const codeNamed = bounded();
  return (agent, fact) => {
    if (fact.is === 'begun') begun.inc({ agent, how: fact.how });
    else if (fact.is === 'ended') ended.inc({ agent, status: fact.status, code: codeNamed(fact.code ?? '') });
    else about[fact.is].inc({ agent });
  };
}

/** Clocks of two machines differ a little. */
function seconds(ms: number): number {
  return Math.max(0, ms) / 1_000;
}
