import { z } from 'zod';
import { AgentName } from '#contract/agent';
import { ConversationId } from '#contract/conversation';
import { agentOperations } from './agents';
import { conversationOperations } from './conversations';
import type { Operation } from './operation';
import { questionOperations } from './questions';
import { codecOperations, healthOperations, sessionOperations } from './system';

/** All operations of the API. Routes, scopes, the OpenAPI document and their tests are derived from this table. */
export const OPERATIONS = {
  ...conversationOperations,
  ...questionOperations,
  ...agentOperations,
  ...sessionOperations,
  ...codecOperations,
  ...healthOperations,
} as const satisfies Record<string, Operation>;
export type OperationId = keyof typeof OPERATIONS;

export const PATH_PARAMETERS = {
  id: ConversationId.describe('The id of a conversation.'),
  qid: z.string().describe('The id of a question, or `latest` for the last one asked, open or not.'),
  handle: z.string().describe('The handle shown in the timeline: `[Full result saved as "r-…"]`.'),
  agent: AgentName.describe('The name of an agent.'),
  name: AgentName.describe('The name of an agent.'),
};
