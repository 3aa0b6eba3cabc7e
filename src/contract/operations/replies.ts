import { z } from 'zod';
import { AgentView } from '#contract/agent';
import { Conversation, type ConversationStatus } from '#contract/conversation';
import { Question } from '#contract/question';
import { Unreadable } from '#contract/unreadable';

const page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z.string().nullable(),
    unreadable: Unreadable.optional(),
  });

const HowMany = z.int().min(0);
const ENDED = 'One that was taken up again counts here for each time it had ended so, too.';
export const Counts = z
  .strictObject({
    running: HowMany,
    waiting_for_input: HowMany,
    completed: HowMany.describe(ENDED),
    failed: HowMany.describe(ENDED),
    cancelled: HowMany.describe(ENDED),
  } satisfies Record<ConversationStatus, z.ZodType>)
  .describe('Where asked for: how many there are in each status, of those you may see and of that `agent`.');
export type Counts = z.infer<typeof Counts>;

export const ConversationPage = page(Conversation).extend({ counts: Counts.optional() });
export type ConversationPage = z.infer<typeof ConversationPage>;
export const QuestionPage = page(Question);
export const QuestionList = z.strictObject({
  items: z.array(Question),
  truncated: z.literal(true).optional().describe('Old questions were dropped for size.'),
});
export const AgentList = z.strictObject({ items: z.array(AgentView) });
/** How a question stands after an answer. */
export const Standing = z.strictObject({
  question: Question,
  conversation: z.strictObject({ id: z.string(), status: Conversation.shape.status }),
});
export type Standing = z.infer<typeof Standing>;
export const AnswerLink = z.strictObject({
  url: z.string().describe('As good as a key to this question: send it to that person only.'),
  person: z.string(),
  expiresAt: Question.shape.expiresAt.describe('The deadline of the question.'),
});
export type AnswerLink = z.infer<typeof AnswerLink>;
export const RevokedLinks = z.strictObject({
  conversationId: z.string(),
  questionId: z.string(),
  person: z.string().nullable().describe('Whose links were taken back; null where it was everybody’s.'),
});
export type RevokedLinks = z.infer<typeof RevokedLinks>;
export const Started = z.strictObject({ id: z.string(), links: Conversation.shape.links });
export type Started = z.infer<typeof Started>;
export const Health = z.strictObject({ status: z.enum(['ok', 'ready']) });
