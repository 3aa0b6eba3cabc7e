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
    summary: 'List agents',
    requiredScopes: ANY_KEY,
    responses: {
      200: {
        description: 'Agents, sorted by name.',
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
    summary: 'Get an agent',
    requiredScopes: ANY_KEY,
    responses: { 200: { description: 'The agent.', schema: AgentView, example: examples.exampleAgent } },
    problems: ['agent_not_found'],
  },
  callHook: {
    method: 'post',
    path: '/v1/hooks/{agent}',
    tag: 'Agents',
    summary: 'Start a conversation by webhook',
    description:
      "Accepts any JSON, which fills the agent's `trigger` template. If the agent sets a secret, sign the request with " +
      'Standard Webhooks 1.0; otherwise send an API key. Each `webhook-id` starts only one conversation.',
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
