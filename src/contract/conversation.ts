import { z } from 'zod';
import { Duration } from './duration';
import { OnTimeout, Question } from './question';

export const ConversationStatus = z.enum([
  'running',
  'waiting_for_input',
  'completed',
  'failed',
  'cancelled',
]);
export type ConversationStatus = z.infer<typeof ConversationStatus>;

export const Todo = z.strictObject({
  content: z.string().min(1).max(500),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type Todo = z.infer<typeof Todo>;

export const Usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  modelCalls: z.number(),
});
export type Usage = z.infer<typeof Usage>;

export const Links = z.strictObject({
  self: z.string(),
  events: z.string(),
  web: z.string(),
  temporal: z.string(),
});
export type Links = z.infer<typeof Links>;

export const Conversation = z.strictObject({
  id: z.string(),
  agent: z.string(),
  status: ConversationStatus,
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  completedAt: z.string().nullable(),
  question: Question.nullable(),
  questionsAsked: z.number(),
  result: z.string().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  usage: Usage,
  todos: z.array(Todo),
  metadata: z.record(z.string(), z.unknown()),
  parent: z.strictObject({ conversationId: z.string(), agent: z.string() }).nullable(),
  links: Links,
});
export type Conversation = z.infer<typeof Conversation>;

const entry = { id: z.number(), at: z.string() };

/** One thing a person would read, in order; `id` only grows, and settling a question takes a number of its own. */
export const Entry = z.discriminatedUnion('kind', [
  z.strictObject({
    ...entry,
    kind: z.literal('message'),
    role: z.enum(['user', 'assistant']),
    text: z.string(),
  }),
  z.strictObject({
    ...entry,
    kind: z.literal('tool'),
    name: z.string(),
    input: z.unknown(),
    result: z.string().optional(),
    error: z.string().optional(),
  }),
  z.strictObject({
    ...entry,
    kind: z.literal('question'),
    question: Question,
    settledId: z.number().nullable(),
  }),
  z.strictObject({ ...entry, kind: z.literal('todos'), todos: z.array(Todo) }),
  z.strictObject({ ...entry, kind: z.literal('notice'), channel: z.string(), what: z.string() }),
  z.strictObject({ ...entry, kind: z.literal('status'), status: ConversationStatus }),
]);
export type Entry = z.infer<typeof Entry>;

export const Timeline = z.strictObject({ items: z.array(Entry), truncated: z.literal(true).optional() });
export type Timeline = z.infer<typeof Timeline>;

export const ConversationId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,128}$/, 'an id is 1 to 128 letters, digits, dots, underscores or hyphens');

/** Names go into a search attribute: 255 characters at most, and no NUL on PostgreSQL. */
const Person = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => !name.includes('\0'), 'must not contain a NUL character');

const METADATA_BYTES = 8 * 1024;

export const StartBody = z.strictObject({
  agent: z.string().default('assistant'),
  message: z.string().refine((text) => text.trim() !== '', 'a message must not be empty'),
  id: ConversationId.optional(),
  metadata: z
    .record(z.string(), z.unknown())
    .refine(
      (data) => new TextEncoder().encode(JSON.stringify(data)).length <= METADATA_BYTES,
      'metadata is at most 8 KB of JSON',
    )
    .optional(),
  callbackUrl: z
    .url({ protocol: /^https?$/, error: 'write a web address, with http:// or https://' })
    .max(2_048)
    .optional(),
  visibleTo: z.array(Person).max(50).optional(),
  assignees: z.array(Person).max(50).optional(),
  question: z.strictObject({ timeout: Duration.optional(), onTimeout: OnTimeout.optional() }).optional(),
});
export type StartBody = z.infer<typeof StartBody>;

export const MessageBody = z.strictObject({
  text: z.string().refine((text) => text.trim() !== '', 'a message must not be empty'),
});
export const CancelBody = z.strictObject({ reason: z.string().max(4_000).optional() });

const Limit = z
  .string()
  .regex(/^\d{1,3}$/, 'limit is a number from 1 to 100')
  .transform(Number)
  .refine((n) => n >= 1 && n <= 100, 'limit is a number from 1 to 100')
  .default(20);

/** Goes into a Visibility query, so nothing that could end a quoted string. */
const AgentFilter = z.string().regex(/^[A-Za-z0-9._-]{1,128}$/, 'not an agent name');

export const ListQuery = z.strictObject({
  status: ConversationStatus.optional(),
  agent: AgentFilter.optional(),
  limit: Limit,
  cursor: z.string().optional(),
});
export type ListQuery = z.infer<typeof ListQuery>;

export const InboxQuery = z.strictObject({
  status: z.literal('pending').default('pending'),
  agent: AgentFilter.optional(),
  conversation: ConversationId.optional(),
  limit: Limit,
  cursor: z.string().optional(),
});
export type InboxQuery = z.infer<typeof InboxQuery>;

export const TimelineQuery = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'after is the id of an entry, a whole number')
    .transform(Number)
    .default(0),
});
