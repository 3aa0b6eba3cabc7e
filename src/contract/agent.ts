import { z } from 'zod';
import { Duration } from './duration';
import { OnTimeout } from './question';

export const AgentName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'an agent name is lower-case letters, digits and hyphens, 64 at most');

const upTo = (most: number) => z.number().int().min(1).max(most);

/** How an agent asks. `perTurn` counts from one message of the user to the next. */
export const QuestionPolicy = z.strictObject({
  timeout: Duration.default(24 * 3_600_000),
  onTimeout: OnTimeout.default('continue'),
  perTurn: upTo(1_000).default(25),
  perConversation: upTo(10_000).default(100),
  maxQuestions: upTo(20).default(4),
  maxOptions: upTo(50).min(2).default(4),
});

export const AgentFile = z.strictObject({
  name: AgentName,
  description: z.string().min(1).max(500),
  model: z.string().min(1).max(200).default('claude-sonnet-5-5'),
  maxTokens: upTo(1_000_000).default(16_000),
  questions: QuestionPolicy.default(QuestionPolicy.parse({})),
});

/** An agent as its file says; pinned into the conversation when it starts. */
export type Agent = z.infer<typeof AgentFile> & { prompt: string };
