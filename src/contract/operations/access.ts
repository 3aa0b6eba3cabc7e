import { Session } from '#contract/access';
import * as examples from '#contract/examples';
import { ANY_KEY, ANYBODY } from './allowed';
import type { Operation } from './operation';

export const access = {
  openSession: {
    method: 'post',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Swap the key for a cookie',
    description: 'For browsers: an HttpOnly, SameSite=Strict cookie that stands for the key of this request.',
    allowed: ANY_KEY,
    replies: {
      200: {
        description: 'Set.',
        schema: Session,
        headers: ['Set-Cookie'],
        example: examples.session,
      },
    },
    problems: [],
  },
  getSession: {
    method: 'get',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Who this key stands for, and what it may do',
    allowed: ANY_KEY,
    replies: { 200: { description: 'As it is.', schema: Session, example: examples.session } },
    problems: [],
  },
  closeSession: {
    method: 'delete',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Forget the cookie',
    allowed: ANYBODY,
    replies: { 204: { description: 'Forgotten.', headers: ['Set-Cookie'] } },
    problems: [],
  },
} as const satisfies Record<string, Operation>;
