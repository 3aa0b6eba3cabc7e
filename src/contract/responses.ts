import { z } from 'zod';
import { AgentView } from './agent';
import { Conversation, type ConversationStatus } from './conversation';
import type { ProblemCode } from './problem';
import { Question, type ValidationIssue } from './question';
import { Timestamp } from './time';
import { TimelineEntry } from './timeline';

/** Omitted if zero. */
export const UnreadableCount = z
  .int()
  .min(1)
  .describe("Number of items omitted because they can't be decrypted (key missing from PARLEY_ENCRYPTION_KEYS).");

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z.string().nullable(),
    unreadable: UnreadableCount.optional(),
  });

const ConversationCount = z.int().min(0);
const ENDED_COUNT_DESCRIPTION = 'A resumed conversation also counts once for each time it ended like this.';
export const StatusCounts = z
  .strictObject({
    running: ConversationCount,
    waiting_for_input: ConversationCount,
    completed: ConversationCount.describe(ENDED_COUNT_DESCRIPTION),
    failed: ConversationCount.describe(ENDED_COUNT_DESCRIPTION),
    cancelled: ConversationCount.describe(ENDED_COUNT_DESCRIPTION),
  } satisfies Record<ConversationStatus, z.ZodType>)
  .describe('If requested: the number of conversations you can see in each status, filtered by `agent`.');
export type StatusCounts = z.infer<typeof StatusCounts>;

export const ConversationListResponse = pageOf(Conversation).extend({ counts: StatusCounts.optional() });
export type ConversationListResponse = z.infer<typeof ConversationListResponse>;
export const InboxResponse = pageOf(Question);
export const QuestionListResponse = z.strictObject({
  items: z.array(Question),
  truncated: z.literal(true).optional().describe('Older questions were removed to save space.'),
});
export const AgentListResponse = z.strictObject({ items: z.array(AgentView) });
/** The state of a question after an answer. */
export const AnswerResponse = z.strictObject({
  question: Question,
  conversation: z.strictObject({ id: z.string(), status: Conversation.shape.status }),
});
export type AnswerResponse = z.infer<typeof AnswerResponse>;
export const AnswerLink = z.strictObject({
  url: z.string().describe("Anyone with this link can answer as this person. Don't share it."),
  person: z.string(),
  expiresAt: Question.shape.expiresAt.describe('The deadline of the question.'),
});
export type AnswerLink = z.infer<typeof AnswerLink>;
export const RevokedLinks = z.strictObject({
  conversationId: z.string(),
  questionId: z.string(),
  person: z.string().nullable().describe('Whose links were revoked; null for all.'),
});
export type RevokedLinks = z.infer<typeof RevokedLinks>;
export const StartedConversation = z.strictObject({ id: z.string(), links: Conversation.shape.links });
export type StartedConversation = z.infer<typeof StartedConversation>;
export const HealthResponse = z.strictObject({ status: z.enum(['ok', 'ready']) });

/** Configuration and health, for diagnosis. Contains neither secrets nor internal addresses. */
export const ServerStatus = z.strictObject({
  version: z.string().describe('The version of Parley.'),
  temporal: z.strictObject({
    reachable: z.boolean().describe('Whether Temporal responds, as checked by `/readyz`.'),
    namespace: z.string(),
  }),
  workers: z.int().min(0).nullable().describe('Workers that polled Temporal in the last few minutes; null if unknown.'),
  agents: z.int().min(0),
  channels: z.record(z.string(), z.boolean()).describe('Channels that need setting up, and whether each is.'),
  channelLabels: z.record(z.string(), z.string()).describe('Display names of the channels.'),
  keys: z.boolean().describe('Whether an API key is required.'),
  publicUrl: z.string().describe('Base URL of links.'),
});
export type ServerStatus = z.infer<typeof ServerStatus>;

/** A complete conversation in one document: the timeline, the transcript, and the pinned agent. */
export const ConversationExport = z.strictObject({
  format: z.literal('parley.conversation/1'),
  exportedAt: Timestamp,
  conversation: Conversation,
  timeline: z.array(TimelineEntry),
  questions: z.array(Question),
  truncated: z.literal(true).optional(),
  agent: z.record(z.string(), z.unknown()),
  transcript: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.array(z.record(z.string(), z.unknown())),
    }),
  ),
});
export type ConversationExport = z.infer<typeof ConversationExport>;

/** An expected refusal: its HTTP code and text. A channel may choose its own words by `status`. */
interface RefusalOf<Status extends string> {
  status: Status;
  code: ProblemCode;
  detail: string;
}

/** Why the caller or request cannot act on a conversation. */
export type ActionRefusal = RefusalOf<'conversationNotFound' | 'forbidden' | 'idempotencyConflict'>;

/** Temporal or a worker did not respond. `outcomeUnknown`: it did not respond in time, and may have accepted what was sent. */
export type Unavailability = RefusalOf<'unavailable' | 'outcomeUnknown'>;

export type AnswerRefusal =
  | ActionRefusal
  | Unavailability
  | RefusalOf<'questionNotFound'>
  | (RefusalOf<'invalid'> & { issues: ValidationIssue[] })
  /** `question` has the outcome that stands. */
  | (RefusalOf<'alreadyResolved'> & { question: Question })
  /** The deadline has passed, and no worker has decided the outcome yet. */
  | RefusalOf<'undecided'>;

/** What happened to an answer or a decline, from any channel. `queued`: saved, but not processed by a worker yet. */
export type AnswerResult = ({ status: 'accepted' | 'queued' } & AnswerResponse) | AnswerRefusal;
