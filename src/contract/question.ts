import { z } from 'zod';
import { Time } from './time';

export const QuestionStatus = z.enum(['pending', 'answered', 'declined', 'timed_out', 'cancelled']);
export type QuestionStatus = z.infer<typeof QuestionStatus>;

/** What happens when the deadline passes; a timeout is never reported as a "no". */
export const OnTimeout = z.enum(['continue', 'default', 'fail', 'wait']);
export type OnTimeout = z.infer<typeof OnTimeout>;

export const Other = z.strictObject({ other: z.string() });
export type Other = z.infer<typeof Other>;

export const Value = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  Other,
  z.array(z.union([z.string(), Other])),
]);
/** A label, a list of labels, text, number, boolean, or "Other" written out. */
export type Value = z.infer<typeof Value>;

export const Option = z.strictObject({ label: z.string(), description: z.string().optional() });
export type Option = z.infer<typeof Option>;

export const Field = z.strictObject({
  key: z.string(),
  header: z.string(),
  question: z.string(),
  options: z.array(Option).optional(),
  multiSelect: z.boolean(),
  allowOther: z.boolean(),
  default: Value.optional(),
  required: z.boolean(),
});
export type Field = z.infer<typeof Field>;

export const Outcome = z.strictObject({
  answers: z.record(z.string(), Value).optional(),
  comment: z.string().optional(),
  by: z.string().optional(),
  via: z.string().optional(),
  at: Time,
  defaulted: z.boolean().optional(),
});
export type Outcome = z.infer<typeof Outcome>;

export const Notice = z.strictObject({ at: Time, channel: z.string(), what: z.string() });

export const Question = z.strictObject({
  id: z.string(),
  conversationId: z.string(),
  agent: z.string(),
  origin: z.array(z.string()),
  status: QuestionStatus,
  context: z.string().nullable(),
  fields: z.array(Field),
  askedAt: Time,
  expiresAt: Time.nullable(),
  onTimeout: OnTimeout,
  notices: z.array(Notice),
  outcome: Outcome.nullable(),
});
export type Question = z.infer<typeof Question>;

/** Any object, kept as sent, `__proto__` and all: zod's record would drop that key and hide it from whoever checks. */
export const JsonObject = z
  .unknown()
  .refine(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .transform((value) => value as Record<string, unknown>)
  .meta({ type: 'object' });

/** What it holds is checked against the question, so that every fault names what would be allowed. */
export const AnswerBody = z.strictObject({
  answers: z.unknown().optional(),
  answer: z.unknown().optional(),
  comment: z.string().optional(),
});
export type AnswerBody = z.infer<typeof AnswerBody>;

export const DeclineBody = z.strictObject({ reason: z.string().max(4_000).optional() });
export type DeclineBody = z.infer<typeof DeclineBody>;

/** One thing wrong with a request, an answer or a tool call, and what would be allowed. */
export interface Fault {
  path: string;
  message: string;
  allowed?: string[];
}
