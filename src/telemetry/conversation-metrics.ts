import { createLabelLimiter, type MetricFactory, OTHER_LABEL } from '#infra/telemetry/prometheus';
import type { MetricEvent } from '#workflows/runtime/sinks';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long people take: from seconds to a week. */
const WAIT_SECONDS_BUCKETS = [1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY];
const RESUME_SECONDS_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, MINUTE, 10 * MINUTE, HOUR];

type QuestionResolvedEvent = Extract<MetricEvent, { is: 'settled' }>;

/** What happened to people's questions, told by the workflow as it happens and never again when it is replayed. */
export function createConversationMetrics(make: MetricFactory): (fact: MetricEvent) => void {
  const settled = createQuestionMetrics(make);
  const told = make.counter(
    'parley_notices_total',
    'What people were told of open questions, or could not be.',
    ...['agent', 'channel', 'kind', 'outcome'],
  );
  const asked = make.counter('parley_questions_asked_total', 'Questions that were put to people.', 'agent');
  const lives = createLifecycleMetrics(make);
  const agentNamed = createLabelLimiter();
  const channelNamed = createLabelLimiter();
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

function createQuestionMetrics(make: MetricFactory): (agent: string, fact: QuestionResolvedEvent) => void {
  const settled = make.counter(
    'parley_questions_settled_total',
    'Questions by what became of them; policy is what was done where nobody answered in time.',
    ...['agent', 'channel', 'outcome', 'policy'],
  );
  const waited = make.histogram(
    'parley_question_wait_seconds',
    'Time awaiting input: from asking to the outcome.',
    WAIT_SECONDS_BUCKETS,
    ...['agent', 'channel', 'outcome'],
  );
  const resumed = make.histogram(
    'parley_resume_seconds',
    'From the outcome, an answer by when it was received, to the next step of the conversation.',
    RESUME_SECONDS_BUCKETS,
    ...['agent', 'channel'],
  );
  return (agent, { via, outcome, policy = '', askedAt, at, goesOn }) => {
    const channel = toAnswerChannelLabel(via);
    settled.inc({ agent, channel, outcome, policy });
    waited.observe({ agent, channel, outcome }, toElapsedSeconds(at - askedAt));
    if (goesOn) resumed.observe({ agent, channel }, toElapsedSeconds(Date.now() - at));
  };
}

type LifecycleEvent = Exclude<MetricEvent, { is: 'asked' | 'settled' | 'told' }>;

function createLifecycleMetrics(make: MetricFactory): (agent: string, fact: LifecycleEvent) => void {
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
  const codeNamed = createLabelLimiter();
  return (agent, fact) => {
    if (fact.is === 'begun') begun.inc({ agent, how: fact.how });
    else if (fact.is === 'ended') ended.inc({ agent, status: fact.status, code: codeNamed(fact.code ?? '') });
    else about[fact.is].inc({ agent });
  };
}

/** Clocks of two machines differ a little. */
function toElapsedSeconds(ms: number): number {
  return Math.max(0, ms) / 1_000;
}

const ANSWER_CHANNELS = ['http', 'web', 'terminal', 'slack', 'email', 'link', 'temporal'];

/** By what way somebody answered. That is the sender's own word, where Temporal's tools sent it. */
export function toAnswerChannelLabel(via: string | undefined): string {
  if (via === undefined) return 'none';
  return ANSWER_CHANNELS.includes(via) ? via : OTHER_LABEL;
}
