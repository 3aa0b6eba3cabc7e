import { z } from 'zod';
import { Budget } from './agent';
import { Question } from './question';
import { Timestamp } from './time';

export const ConversationStatus = z.enum(['running', 'waiting_for_input', 'completed', 'failed', 'cancelled']);
export type ConversationStatus = z.infer<typeof ConversationStatus>;

export const Todo = z.strictObject({
  content: z.string().min(1).max(500),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type Todo = z.infer<typeof Todo>;

export const TokenUsage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number().describe('How many of the input tokens came from the prompt cache.'),
  modelCalls: z.number().describe('Billed calls: summaries and failed attempts included, sub-agents not.'),
  cost: z.number().optional().describe('In USD. Absent without a call, and if the price of any call is unknown.'),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

export const ConversationLinks = z.strictObject({
  self: z.string(),
  events: z.string(),
  web: z.string(),
  temporal: z.string(),
});
export type ConversationLinks = z.infer<typeof ConversationLinks>;

export const Conversation = z.strictObject({
  id: z.string(),
  agent: z.string(),
  status: ConversationStatus,
  title: z.string().describe('The start of the first message.'),
  createdAt: Timestamp,
  updatedAt: Timestamp.describe('When it last changed.'),
  completedAt: Timestamp.nullable(),
  question: Question.nullable().describe('The open question.'),
  questionsAsked: z.number().describe('Number of questions asked so far.'),
  result: z
    .string()
    .nullable()
    .describe("The agent's final message, once completed. Truncated to 2,000 characters in lists."),
  error: z
    .strictObject({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why it failed or was cancelled. A message resumes it.'),
  usage: TokenUsage,
  budget: z
    .strictObject({
      ...Budget.shape,
      spent: z.strictObject({ usd: z.number(), tokens: z.number(), calls: z.number() }),
    })
    .omit({ onLimit: true })
    .optional()
    .describe('What it may use until it asks again or stops, and has used, both with its sub-agents.'),
  todos: z.array(Todo),
  metadata: z.record(z.string(), z.unknown()).describe('The metadata passed at the start. Parley does not use it.'),
  parent: z
    .strictObject({ conversationId: z.string(), agent: z.string() })
    .nullable()
    .describe('The conversation that delegated to this one.'),
  links: ConversationLinks,
});
export type Conversation = z.infer<typeof Conversation>;

export const ConversationId = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/,
    'must be 1 to 128 letters, digits, dots, underscores or hyphens, and not . or ..',
  );

/** Returns the conversation's id. Workflows that do work for a conversation have ids that begin with it. */
export function extractConversationId(workflowId: string): string {
  return workflowId.split('/', 1)[0] ?? workflowId;
}
