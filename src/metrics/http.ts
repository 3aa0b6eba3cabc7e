import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { wayOf } from './labels';

const REQUESTS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const VERDICTS = [0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2, 3, 5];

/** How a request went; its route as it is written in the contract, never as it was asked for. */
export interface Served {
  method: string;
  route: string;
  status: number;
  seconds: number;
  isStream: boolean;
}

/** An attempt to settle a question, and what came of it. */
export interface Answered {
  kind: 'answer' | 'decline';
  via: string;
  /** 200, 202, or the code of the refusal. */
  reply: string;
  seconds: number;
}

export function httpMetrics(registers: Registry[]) {
  const requests = new Counter({
    name: 'parley_http_requests_total',
    help: 'Requests by route and class of status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'parley_http_request_seconds',
    help: 'How long requests take; streams, which last, are left out.',
    labelNames: ['method', 'route'],
    buckets: REQUESTS,
    registers,
  });
  const streams = new Gauge({
    name: 'parley_streams_open',
    help: 'Live event streams that somebody follows.',
    registers,
  });
  const answers = new Counter({
    name: 'parley_answers_total',
    help: 'Answers and declines that came in, by channel and by what was replied: 200, 202 or the code of a refusal.',
    labelNames: ['channel', 'kind', 'reply'],
    registers,
  });
  const latency = new Histogram({
    name: 'parley_answer_seconds',
    help: 'Answer latency: from the request to the verdict on it.',
    labelNames: ['channel'],
    buckets: VERDICTS,
    registers,
  });
  return {
    served({ method, route, status, seconds: took, isStream }: Served): void {
      requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
      if (!isStream) seconds.observe({ method, route }, took);
    },
    answered({ kind, via, reply, seconds: took }: Answered): void {
      const channel = wayOf(via);
      answers.inc({ channel, kind, reply });
      if (reply === '200') latency.observe({ channel }, took);
    },
    /** A stream while it is followed. */
    async streaming(show: () => Promise<void>): Promise<void> {
      streams.inc();
      await show().finally(() => streams.dec());
    },
  };
}
