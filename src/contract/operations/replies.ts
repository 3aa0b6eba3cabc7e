import { z } from 'zod';
import { AgentView } from '../agent';
import { Conversation } from '../conversation';
import { Question } from '../question';

const page = (item: z.ZodType) => z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });

export const ConversationPage = page(Conversation);
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
export const Started = z.strictObject({ id: z.string(), links: Conversation.shape.links });
export type Started = z.infer<typeof Started>;
export const Health = z.strictObject({ status: z.enum(['ok', 'ready']) });
