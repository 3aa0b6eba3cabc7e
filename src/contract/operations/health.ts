import { ANYBODY } from './allowed';
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
    problems: [],
  },
} as const satisfies Record<string, Operation>;
