import { z } from 'zod';
import { Time } from './time';
import { ValueSchema } from './value-schema';

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
  key: z.string().describe('`q1`, `q2` …: what its answer goes by.'),
  header: z.string().describe('A label of at most 12 characters.'),
  question: z.string(),
  options: z.array(Option).optional().describe('The choices. None: free text.'),
  multiSelect: z.boolean(),
  allowOther: z.boolean().describe('May be answered `{"other": "text"}`.'),
  schema: ValueSchema.optional().describe('What the value has to be, where there are no options.'),
  default: Value.optional(),
  required: z.boolean(),
});
export type Field = z.infer<typeof Field>;

export const Outcome = z.strictObject({
  answers: z.record(z.string(), Value).optional(),
  comment: z.string().optional(),
  by: z
    .string()
    .optional()
    .describe('Who settled it: the name of the key, or of the person whom the link, mail or Slack user is.'),
  via: z
    .string()
    .optional()
    .describe(
      'The way it came: `web`, `terminal` or `http`, as the caller says of itself; `slack`, `email` or `link`; `temporal` by Temporal’s own tools, `timer` where nobody answered.',
    ),
  at: Time,
  defaulted: z.boolean().optional().describe('Nobody answered: these are the defaults the agent named.'),
});
export type Outcome = z.infer<typeof Outcome>;

export const Notice = z.strictObject({
  at: Time,
  channel: z.string().describe('Where: `slack:#ops`, `email:ops@example.com`, `webhook`, `inbox`, `log`.'),
  what: z
    .string()
    .describe('`asked`, `reminder 1 of 2`, `escalated to maria`; and why, where it could not be sent.'),
});
export type Notice = z.infer<typeof Notice>;

/** What a "yes" to this question lets happen, and nothing else. */
export const Confirms = z.strictObject({
  tool: z.string().nullable().describe('The tool that runs on a "yes"; null where the agent acts by itself.'),
  arguments: z.unknown().describe('Exactly these.'),
  digest: z.string().describe('SHA-256 of the arguments as canonical JSON.'),
});
export type Confirms = z.infer<typeof Confirms>;

export const Question = z.strictObject({
  id: z.string(),
  conversationId: z.string(),
  agent: z.string(),
  origin: z.array(z.string()).describe('The agents it comes from, root first.'),
  status: QuestionStatus,
  context: z.string().nullable().describe('A few lines of Markdown: why it is asked and what hangs on it.'),
  fields: z.array(Field),
  askedAt: Time,
  expiresAt: Time.nullable().describe('The deadline. None: it waits for ever.'),
  onTimeout: OnTimeout,
  notices: z.array(Notice).describe('Who was told of it, and when.'),
  confirms: Confirms.optional().describe('Only where it asks to confirm an action.'),
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
  answers: z
    .unknown()
    .optional()
    .meta({ type: 'object', description: 'A value for each field, by its key or its exact text.' }),
  answer: z.unknown().optional().describe('With a single field: its value.'),
  comment: z.string().optional().describe('Anything to add, for the agent to read.'),
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
