import { z } from 'zod';
import { AgentView } from '#contract/agent';
import { AgentListResponse, StartedConversation } from '#contract/responses';
import * as examples from './examples';
import { ANY_KEY, jsonReply, type Operation, WRITE_CONVERSATIONS } from './operation';

export const agentOperations = {
  listAgents: {
    method: 'get',
    path: '/v1/agents',
    summary: 'List agents',
    requiredScopes: ANY_KEY,
    responses: { 200: jsonReply('Agents, sorted by name.', AgentListResponse, { items: [examples.exampleAgent] }) },
  },
  getAgent: {
    method: 'get',
    path: '/v1/agents/{name}',
    summary: 'Get an agent',
    requiredScopes: ANY_KEY,
    responses: { 200: jsonReply('The agent.', AgentView, examples.exampleAgent) },
    problems: ['agent_not_found'],
  },
  callHook: {
    method: 'post',
    path: '/v1/hooks/{agent}',
    summary: 'Start a conversation by webhook',
    description:
      "Accepts any JSON, which fills the agent's `trigger` template. If the agent sets a secret, sign the request with " +
      'Standard Webhooks 1.0; otherwise send an API key. Each `webhook-id` starts only one conversation.',
    requiredScopes: WRITE_CONVERSATIONS,
    acceptsSignature: true,
    isIdempotent: true,
    body: { schema: z.unknown(), limit: '1mb', example: examples.exampleWebhookBody },
    responses: {
      202: {
        ...jsonReply('Started.', StartedConversation, examples.exampleWebhookResponse, ['Location']),
        createsConversation: true,
      },
    },
    problems: ['agent_not_found', 'idempotency_conflict'],
  },
} as const satisfies Record<string, Operation>;
