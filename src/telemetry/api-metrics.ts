import { createLabelLimiter, type MetricFactory, OTHER_LABEL } from '#infra/telemetry/prometheus';
import { toAnswerChannelLabel } from './conversation-metrics';

const REQUEST_SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ANSWER_SECONDS_BUCKETS = [0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2, 3, 5];

/** How a request went; its route as it is written in the contract, never as it was asked for. */
export interface ServedRequest {
  method: string;
  route: string;
  status: number;
  seconds: number;
  isStream: boolean;
}

/** An attempt to settle a question, and what came of it. */
export interface AnswerAttempt {
  kind: 'answer' | 'decline';
  via: string;
  /** 200, 202, or the code of the refusal. */
  reply: string;
  /** Whose question it was, where that is known. */
  agent?: string;
  seconds: number;
}

export function createApiMetrics(make: MetricFactory) {
  const requests = make.counter(
    'parley_http_requests_total',
    'Requests by route and class of status.',
    ...['method', 'route', 'status'],
  );
  const lasting = 'How long requests take; streams, which last, are left out.';
  const seconds = make.histogram('parley_http_request_seconds', lasting, REQUEST_SECONDS_BUCKETS, 'method', 'route');
  const streams = make.gauge('parley_streams_open', 'Live event streams that somebody follows.');
  const answers = make.counter(
    'parley_answers_total',
    'Answers and declines that came in, by channel and by what was replied: 200, 202 or the code of a refusal.',
    ...['channel', 'kind', 'reply'],
  );
  const about = 'Answer latency: from the request to the verdict on it.';
  const latency = make.histogram('parley_answer_seconds', about, ANSWER_SECONDS_BUCKETS, 'agent', 'channel');
  const agentNamed = createLabelLimiter();
  return {
    served({ method, route, status, seconds: took, isStream }: ServedRequest): void {
      requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
      if (!isStream) seconds.observe({ method, route }, took);
    },
    answered({ kind, via, reply, agent = OTHER_LABEL, seconds: took }: AnswerAttempt): void {
      const channel = toAnswerChannelLabel(via);
      answers.inc({ channel, kind, reply });
      if (reply === '200') latency.observe({ agent: agentNamed(agent), channel }, took);
    },
    /** A stream while it is followed. */
    async streaming(show: () => Promise<void>): Promise<void> {
      streams.inc();
      await show().finally(() => streams.dec());
    },
  };
}
