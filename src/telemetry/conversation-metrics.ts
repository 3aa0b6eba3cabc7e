import { createLabelLimiter, type MetricFactory, OTHER_LABEL } from '#infra/telemetry/prometheus';
import type { MetricEvent } from '#workflows/runtime/sinks';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** People's response times: from seconds to a week. */
const WAIT_SECONDS_BUCKETS = [1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY];
const RESUME_SECONDS_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, MINUTE, 10 * MINUTE, HOUR];

type QuestionResolvedEvent = Extract<MetricEvent, { type: 'settled' }>;

/** Counts the events that workflows report. Workflows do not report them again during replay. */
export function createConversationMetrics(
  factory: MetricFactory,
  toChannelLabel: AnswerChannelLabel,
): (event: MetricEvent) => void {
  const countResolved = createQuestionMetrics(factory, toChannelLabel);
  const notifications = factory.counter(
    'parley_notices_total',
    'Notifications of open questions, sent or failed.',
    ...['agent', 'channel', 'kind', 'outcome'],
  );
  const questions = factory.counter('parley_questions_asked_total', 'Questions asked.', 'agent');
  const countLifecycle = createLifecycleMetrics(factory);
  const limitAgentLabel = createLabelLimiter();
  const limitChannelLabel = createLabelLimiter();
  return (event) => {
    const agent = limitAgentLabel(event.agent);
    if (event.type === 'asked') questions.inc({ agent });
    else if (event.type === 'settled') countResolved(agent, event);
    else if (event.type === 'notified') {
      const { kind, outcome } = event;
      notifications.inc({ agent, channel: limitChannelLabel(event.channel), kind, outcome });
    } else countLifecycle(agent, event);
  };
}

function createQuestionMetrics(
  factory: MetricFactory,
  toChannelLabel: AnswerChannelLabel,
): (agent: string, event: QuestionResolvedEvent) => void {
  const resolved = factory.counter(
    'parley_questions_settled_total',
    'Closed questions by outcome; policy is what happened at a timeout.',
    ...['agent', 'channel', 'outcome', 'policy'],
  );
  const waitSeconds = factory.histogram(
    'parley_question_wait_seconds',
    'Time from asking a question to its outcome.',
    WAIT_SECONDS_BUCKETS,
    ...['agent', 'channel', 'outcome'],
  );
  const resumeSeconds = factory.histogram(
    'parley_resume_seconds',
    'Time from the outcome (for an answer, its receipt) to the next step of the conversation.',
    RESUME_SECONDS_BUCKETS,
    ...['agent', 'channel'],
  );
  return (agent, { via, outcome, policy = '', askedAt, at, continues }) => {
    const channel = toChannelLabel(via);
    resolved.inc({ agent, channel, outcome, policy });
    waitSeconds.observe({ agent, channel, outcome }, toElapsedSeconds(at - askedAt));
    if (continues) resumeSeconds.observe({ agent, channel }, toElapsedSeconds(Date.now() - at));
  };
}

type LifecycleEvent = Exclude<MetricEvent, { type: 'asked' | 'settled' | 'notified' }>;

function createLifecycleMetrics(factory: MetricFactory): (agent: string, event: LifecycleEvent) => void {
  const started = factory.counter(
    'parley_conversations_started_total',
    'Conversations started or resumed.',
    ...['agent', 'how'],
  );
  const ended = factory.counter(
    'parley_conversations_ended_total',
    'Conversations ended; code is why one failed.',
    ...['agent', 'status', 'code'],
  );
  const countersByEvent = {
    compacted: factory.counter('parley_compactions_total', 'Times that older turns were summarized.', 'agent'),
    continuedAsNew: factory.counter(
      'parley_continued_as_new_total',
      'Times that a conversation continued in a new run.',
      'agent',
    ),
  };
  const limitCodeLabel = createLabelLimiter();
  return (agent, event) => {
    if (event.type === 'started') started.inc({ agent, how: event.how });
    else if (event.type === 'ended') ended.inc({ agent, status: event.status, code: limitCodeLabel(event.code ?? '') });
    else countersByEvent[event.type].inc({ agent });
  };
}

/** Clamps to zero, as the clocks of two machines differ slightly. */
function toElapsedSeconds(ms: number): number {
  return Math.max(0, ms) / 1_000;
}

const ANSWER_CHANNELS = ['http', 'web', 'terminal', 'link', 'temporal'];

export type AnswerChannelLabel = (via: string | undefined) => string;

/** Returns the label of the channel of an answer. Limited to known values, as Temporal's own tools let the sender set any. */
export function createAnswerChannelLabel(channelNames: readonly string[]): AnswerChannelLabel {
  const known = new Set([...ANSWER_CHANNELS, ...channelNames]);
  return (via) => {
    if (via === undefined) return 'none';
    return known.has(via) ? via : OTHER_LABEL;
  };
}
