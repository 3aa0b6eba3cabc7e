import { z } from 'zod';
import { ConversationStatus, Todo } from './conversation';
import { Question } from './question';
import { Time } from './time';

const entry = { id: z.number().int(), at: Time };

export const MessageEntry = z.strictObject({
  ...entry,
  kind: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
});

export const ToolEntry = z.strictObject({
  ...entry,
  kind: z.literal('tool'),
  name: z.string(),
  input: z.unknown(),
  result: z.string().optional(),
  error: z.string().optional(),
});

export const QuestionEntry = z.strictObject({
  ...entry,
  kind: z.literal('question'),
  question: Question,
  settledId: z.number().int().nullable(),
});

export const TodosEntry = z.strictObject({ ...entry, kind: z.literal('todos'), todos: z.array(Todo) });

export const NoticeEntry = z.strictObject({
  ...entry,
  kind: z.literal('notice'),
  channel: z.string(),
  what: z.string(),
});

export const StatusEntry = z.strictObject({
  ...entry,
  kind: z.literal('status'),
  status: ConversationStatus,
});

/** One thing a person would read, in order; `id` only grows, and settling a question takes a number of its own. */
export const Entry = z.discriminatedUnion('kind', [
  MessageEntry,
  ToolEntry,
  QuestionEntry,
  TodosEntry,
  NoticeEntry,
  StatusEntry,
]);
export type Entry = z.infer<typeof Entry>;

export const Timeline = z.strictObject({ items: z.array(Entry), truncated: z.literal(true).optional() });
export type Timeline = z.infer<typeof Timeline>;
