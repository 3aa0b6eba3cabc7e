import * as examples from '#contract/examples';
import { Status } from '#contract/status';
import { ADMIN, ANY_KEY, ANYBODY } from './allowed';
import type { Operation } from './operation';
import { Health } from './replies';

export const health = {
  getHealth: {
    method: 'get',
    path: '/healthz',
    tag: 'Health',
    summary: 'The process is up',
    allowed: ANYBODY,
    replies: { 200: { description: 'It is.', schema: Health, example: { status: 'ok' } } },
    problems: [],
  },
  getReadiness: {
    method: 'get',
    path: '/readyz',
    tag: 'Health',
    summary: 'Temporal answers',
    allowed: ANYBODY,
    replies: { 200: { description: 'It does.', schema: Health, example: { status: 'ready' } } },
    problems: ['stopping'],
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    tag: 'Health',
    summary: 'What is counted and measured',
    description: "In Prometheus' text format: of this process, and of what waits in Temporal.",
    allowed: ADMIN,
    replies: {
      200: {
        description: 'As it is now.',
        isText: true,
        example: '# TYPE parley_temporal_up gauge\nparley_temporal_up 1\n',
      },
    },
    problems: [],
  },
  getStatus: {
    method: 'get',
    path: '/v1/status',
    tag: 'Health',
    summary: 'What is set up, and what answers',
    description: 'For `parley doctor`, and for people: also while Temporal is down or no worker is up.',
    allowed: ANY_KEY,
    replies: { 200: { description: 'As it is.', schema: Status, example: examples.status } },
    problems: [],
  },
} as const satisfies Record<string, Operation>;
