import { z } from 'zod';
import { Conversation } from './conversation';
import { Question } from './question';
import { UnreadableCount } from './responses';
import { Timestamp } from './time';
import { MessageEntry, StatusEntry, TodosEntry, ToolCallEntry } from './timeline';

const id = z.number().int();

/**
 * The message that is being written: its text so far, since when the model has been thinking instead, or when a failed
 * call is attempted again.
 */
export const PartialMessage = z.strictObject({
  text: z.string(),
  thinkingSince: Timestamp.optional(),
  retry: z.strictObject({ at: Timestamp, reason: z.enum(['model_overloaded', 'model_unavailable']) }).optional(),
});
export type PartialMessage = z.infer<typeof PartialMessage>;

/** One event of a conversation's stream. Streams can be resumed from events with an `id`. */
export const ConversationEvent = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('snapshot'), id, data: Conversation }),
  z.strictObject({ event: z.literal('status'), id, data: StatusEntry }),
  z.strictObject({ event: z.literal('message'), id, data: MessageEntry }),
  z.strictObject({ event: z.literal('tool'), id, data: ToolCallEntry }),
  z.strictObject({ event: z.literal('todos'), id, data: TodosEntry }),
  z.strictObject({ event: z.literal('question_pending'), id, data: Question }),
  z.strictObject({ event: z.literal('question_answered'), id, data: Question }),
  z.strictObject({ event: z.literal('delta'), data: PartialMessage }),
  z.strictObject({ event: z.literal('done'), data: Conversation }),
]);
export type ConversationEvent = z.infer<typeof ConversationEvent>;

/** The pending questions at the start of the stream. `truncated` if there are more than one read returns. */
export const InboxSnapshot = z.strictObject({
  items: z.array(Question),
  truncated: z.literal(true).optional(),
  unreadable: UnreadableCount.optional(),
});
export type InboxSnapshot = z.infer<typeof InboxSnapshot>;

/** One event of the inbox stream. It has no id to resume from: a new stream starts with a snapshot. */
export const InboxEvent = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('snapshot'), data: InboxSnapshot }),
  z.strictObject({ event: z.literal('question_pending'), data: Question }),
  z.strictObject({ event: z.literal('question_answered'), data: Question }),
]);
export type InboxEvent = z.infer<typeof InboxEvent>;
