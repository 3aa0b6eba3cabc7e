import { z } from 'zod';
import { Conversation } from './conversation';
import { Entry } from './entry';
import { Question } from './question';
import { Time } from './time';

/** The whole conversation as one document: what people read, what the model reads, and the agent as it was pinned. */
export const Export = z.strictObject({
  format: z.literal('parley.conversation/1'),
  exportedAt: Time,
  conversation: Conversation,
  timeline: z.array(Entry),
  questions: z.array(Question),
  truncated: z.literal(true).optional(),
  agent: z.record(z.string(), z.unknown()),
  transcript: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.array(z.record(z.string(), z.unknown())),
    }),
  ),
});
export type Export = z.infer<typeof Export>;
