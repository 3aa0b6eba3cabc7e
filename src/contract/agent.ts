import { z } from 'zod';
import { Audience, isIndexable, TOO_MANY } from './access';
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
  /** Who may answer, unless the start says otherwise. */
  assignees: Audience.default([]),
});

/** How a webhook starts a conversation with this agent. */
export const Trigger = z.strictObject({
  message: z
    .string()
    .regex(/\S/, 'write the message, with {{ path.in.the.body }} where values go')
    .max(20_000),
  secret: z
    .string()
    .regex(
      /^[A-Z][A-Z0-9_]{0,99}$/,
      'name the environment variable that holds the secret, as in PARLEY_HOOK_INTAKE; never write the secret itself here',
    )
    .optional(),
});
export type Trigger = z.infer<typeof Trigger>;

export const AgentFile = z
  .strictObject({
    name: AgentName,
    description: z.string().min(1).max(500),
    model: z.string().min(1).max(200).default('claude-sonnet-5-5'),
    maxTokens: upTo(1_000_000).default(16_000),
    questions: QuestionPolicy.default(QuestionPolicy.parse({})),
    /** Who may see its conversations, unless the start says otherwise. */
    visibleTo: Audience.default([]),
    trigger: Trigger.optional(),
  })
  .refine(({ visibleTo, questions }) => isIndexable(visibleTo, questions.assignees), {
    path: ['visibleTo'],
    error: TOO_MANY,
  });

/** An agent as its file says; pinned into the conversation when it starts. */
export type Agent = z.infer<typeof AgentFile> & { prompt: string };

/** What is told of an agent to those who may start it. */
export const AgentView = z.strictObject({
  name: AgentName,
  description: z.string(),
  model: z.string(),
  maxTokens: z.number().int(),
  tools: z.array(z.string()),
  questions: z.strictObject({
    timeout: z.string().describe('A duration: 90s, 15m, 4h, 3d or never.'),
    onTimeout: OnTimeout,
    perTurn: z.number().int(),
    perConversation: z.number().int(),
    maxQuestions: z.number().int(),
    maxOptions: z.number().int(),
    assignees: z.array(z.string()),
  }),
  visibleTo: z.array(z.string()),
  trigger: z
    .strictObject({ url: z.string(), signed: z.boolean() })
    .nullable()
    .describe('Where a webhook starts it, and whether it has to be signed.'),
});
export type AgentView = z.infer<typeof AgentView>;
