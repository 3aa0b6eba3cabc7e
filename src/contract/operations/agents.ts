import { z } from 'zod';
import { AgentView } from '#contract/agent';
import * as examples from '#contract/examples';
import { ANY_KEY, WRITE } from './allowed';
import type { Operation } from './operation';
import { AgentList, Started } from './replies';

export const agents = {
  listAgents: {
    method: 'get',
    path: '/v1/agents',
    tag: 'Agents',
    summary: 'What agents there are',
    allowed: ANY_KEY,
    replies: {
      200: { description: 'By name.', schema: AgentList, example: { items: [examples.agent] } },
    },
    problems: [],
  },
  getAgent: {
    method: 'get',
    path: '/v1/agents/{name}',
    tag: 'Agents',
    summary: 'Read an agent',
    allowed: ANY_KEY,
    replies: { 200: { description: 'As defined.', schema: AgentView, example: examples.agent } },
    problems: ['agent_not_found'],
  },
  callHook: {
    method: 'post',
    path: '/v1/hooks/{agent}',
    tag: 'Agents',
    summary: 'Start a conversation by webhook',
    description:
      "Any JSON. The agent's `trigger` is filled from it. Where the agent sets a secret the call is signed by Standard " +
      'Webhooks 1.0 and needs no key; otherwise it needs one. The same `webhook-id` starts one conversation only.',
    allowed: WRITE,
    orSigned: true,
    isIdempotent: true,
    body: { schema: z.unknown(), example: examples.hook },
    replies: {
      202: {
        description: 'Started.',
        isNew: true,
        schema: Started,
        example: examples.hooked,
        headers: ['Location'],
      },
    },
    problems: ['agent_not_found', 'idempotency_conflict'],
  },
} as const satisfies Record<string, Operation>;
