import { createLabelLimiter, type MetricFactory, OTHER_LABEL } from '#infra/telemetry/prometheus';
import type { AnswerChannelLabel } from './conversation-metrics';

const REQUEST_SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ANSWER_SECONDS_BUCKETS = [0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2, 3, 5];

/** A served request. `route` is the template from the contract, never the actual path. */
export interface ServedRequest {
  method: string;
  route: string;
  status: number;
  seconds: number;
  isStream: boolean;
}

/** An attempt to answer or decline a question, with its result. */
export interface AnswerAttempt {
  kind: 'answer' | 'decline';
  via: string;
  /** 200, 202, or an error code. */
  reply: string;
  agent?: string;
  seconds: number;
}

export function createApiMetrics({ counter, gauge, histogram }: MetricFactory, toChannelLabel: AnswerChannelLabel) {
  const requests = counter(
    'parley_http_requests_total',
    'Requests by route and status class.',
    ...['method', 'route', 'status'],
  );
  const requestSeconds = histogram(
    'parley_http_request_seconds',
    'Duration of requests, without streams.',
    REQUEST_SECONDS_BUCKETS,
    ...['method', 'route'],
  );
  const openStreams = gauge('parley_streams_open', 'Open event streams.');
  const answers = counter(
    'parley_answers_total',
    'Answers and declines received, by channel and reply: 200, 202 or an error code.',
    ...['channel', 'kind', 'reply'],
  );
  const answerSeconds = histogram(
    'parley_answer_seconds',
    'Answer latency, from request to result.',
    ANSWER_SECONDS_BUCKETS,
    ...['agent', 'channel'],
  );
  const limitAgentLabel = createLabelLimiter();
  return {
    recordRequest({ method, route, status, seconds: elapsedSeconds, isStream }: ServedRequest): void {
      requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
      if (!isStream) requestSeconds.observe({ method, route }, elapsedSeconds);
    },
    recordAnswer({ kind, via, reply, agent = OTHER_LABEL, seconds: elapsedSeconds }: AnswerAttempt): void {
      const channel = toChannelLabel(via);
      answers.inc({ channel, kind, reply });
      if (reply === '200') answerSeconds.observe({ agent: limitAgentLabel(agent), channel }, elapsedSeconds);
    },
    async trackStream(follow: () => Promise<void>): Promise<void> {
      openStreams.inc();
      await follow().finally(() => openStreams.dec());
    },
  };
}
