import { z } from 'zod';
import { ConversationStatus, Todo } from './conversation';
import { Question } from './question';
import { Timestamp } from './time';

const entryFields = {
  id: z.number().int(),
  at: Timestamp,
  by: z
    .string()
    .optional()
    .describe('Who caused it, by the name of a key or person. Missing for the agent, or without keys.'),
  via: z
    .string()
    .optional()
    .describe('How it arrived: `http`, `web`, `terminal`, a channel, `link`, `webhook` or `temporal`.'),
};

export const MessageEntry = z.strictObject({
  ...entryFields,
  kind: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
});

export const ToolCallEntry = z.strictObject({
  ...entryFields,
  kind: z.literal('tool'),
  name: z.string(),
  input: z.unknown(),
  result: z.string().optional(),
  error: z.string().optional(),
});

export const QuestionEntry = z.strictObject({
  ...entryFields,
  kind: z.literal('question'),
  question: Question,
  settledId: z.number().int().nullable(),
});

export const TodosEntry = z.strictObject({ ...entryFields, kind: z.literal('todos'), todos: z.array(Todo) });

export const NoticeEntry = z.strictObject({
  ...entryFields,
  kind: z.literal('notice'),
  channel: z.string(),
  what: z.string(),
});

export const StatusEntry = z.strictObject({
  ...entryFields,
  kind: z.literal('status'),
  status: ConversationStatus,
});

/** One entry of the timeline. Ids increase, and a resolved question gets another id in `settledId`. */
export const TimelineEntry = z.discriminatedUnion('kind', [
  MessageEntry,
  ToolCallEntry,
  QuestionEntry,
  TodosEntry,
  NoticeEntry,
  StatusEntry,
]);
export type TimelineEntry = z.infer<typeof TimelineEntry>;

export const ConversationTimeline = z.strictObject({
  items: z.array(TimelineEntry),
  truncated: z.literal(true).optional(),
});
export type ConversationTimeline = z.infer<typeof ConversationTimeline>;
