import { z } from 'zod';
import { AgentView } from '#contract/agent';
import { AgentListResponse, StartedConversation } from '#contract/responses';
import * as examples from './examples';
import { ANY_KEY, type Operation, WRITE_CONVERSATIONS } from './operation';

export const agentOperations = {
  listAgents: {
    method: 'get',
    path: '/v1/agents',
    tag: 'Agents',
    summary: 'What agents there are',
    requiredScopes: ANY_KEY,
    responses: {
      200: {
        description: 'By name.',
        schema: AgentListResponse,
        example: { items: [examples.exampleAgent] },
      },
    },
    problems: [],
  },
  getAgent: {
    method: 'get',
    path: '/v1/agents/{name}',
    tag: 'Agents',
    summary: 'Read an agent',
    requiredScopes: ANY_KEY,
    responses: { 200: { description: 'As defined.', schema: AgentView, example: examples.exampleAgent } },
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
    requiredScopes: WRITE_CONVERSATIONS,
    acceptsSignature: true,
    isIdempotent: true,
    body: { schema: z.unknown(), example: examples.exampleWebhookBody },
    responses: {
      202: {
        description: 'Started.',
        createsConversation: true,
        schema: StartedConversation,
        example: examples.exampleWebhookResponse,
        headers: ['Location'],
      },
    },
    problems: ['agent_not_found', 'idempotency_conflict'],
  },
} as const satisfies Record<string, Operation>;
