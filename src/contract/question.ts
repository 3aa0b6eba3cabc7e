import { z } from 'zod';
import { Timestamp } from './time';

const MAX_TEXT_LENGTH = 32_768;
const minimumLength = z.number().int().min(0).max(MAX_TEXT_LENGTH);
const maximumLength = z.number().int().min(1).max(MAX_TEXT_LENGTH);
const numberBound = z.number();
const choiceText = z.string().min(1).max(200).regex(/\S/, 'must not be blank');
const choiceList = z
  .array(choiceText, {
    error: ({ code }) => (code === 'invalid_type' ? 'must be a list of strings' : undefined),
  })
  .min(1)
  .max(50);

/** The text formats for which a form has a control. */
export const TextFormat = z.enum(['email', 'uri', 'date', 'date-time']);
export type TextFormat = z.infer<typeof TextFormat>;

/** Creates an object schema with these keywords only. Its error lists them, for the model to correct its call. */
function strictKeywords<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown keyword ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; allowed: ${known}`
        : undefined,
  });
}

const items = strictKeywords({ type: z.literal('string').optional(), enum: choiceList });

/** A flat JSON Schema: the allowed values, and which control a form shows for them. */
export const ValueSchema = z.discriminatedUnion(
  'type',
  [
    strictKeywords({
      type: z.literal('string'),
      minLength: minimumLength.optional().describe('In characters. 0 allows empty text.'),
      maxLength: maximumLength.optional(),
      pattern: z
        .string()
        .max(256)
        .optional()
        .describe('RE2 syntax: no look-around, no back-references. Matches anywhere unless it has ^ and $.'),
      format: TextFormat.optional(),
      enum: choiceList.optional(),
    }),
    strictKeywords({
      type: z.literal('number'),
      minimum: numberBound.optional(),
      maximum: numberBound.optional(),
    }),
    strictKeywords({
      type: z.literal('integer'),
      minimum: numberBound.optional(),
      maximum: numberBound.optional(),
    }),
    strictKeywords({ type: z.literal('boolean') }),
    strictKeywords({
      type: z.literal('array'),
      items,
      minItems: minimumLength.optional().describe('0 allows choosing none.'),
      maxItems: maximumLength.optional(),
    }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? 'must be "string", "number", "integer", "boolean" or "array": a flat schema of a single value'
        : undefined,
  },
);
export type ValueSchema = z.infer<typeof ValueSchema>;

export const QuestionStatus = z.enum(['pending', 'answered', 'declined', 'timed_out', 'cancelled']);
export type QuestionStatus = z.infer<typeof QuestionStatus>;

/** What happens when the deadline passes. A timeout is never reported as a "no". */
export const OnTimeout = z.enum(['continue', 'default', 'fail', 'wait']);
export type OnTimeout = z.infer<typeof OnTimeout>;

export const OtherAnswer = z.strictObject({ other: z.string() });
export type OtherAnswer = z.infer<typeof OtherAnswer>;

export const AnswerValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  OtherAnswer,
  z.array(z.union([z.string(), OtherAnswer])),
]);
/** A label, a list of labels, text, a number, a boolean, or free text for "Other". */
export type AnswerValue = z.infer<typeof AnswerValue>;

export const QuestionOption = z.strictObject({ label: z.string(), description: z.string().optional() });
export type QuestionOption = z.infer<typeof QuestionOption>;

export const QuestionField = z.strictObject({
  key: z.string().describe('`q1`, `q2` …: the key of its answer.'),
  header: z.string().describe('A label of at most 12 characters.'),
  question: z.string(),
  options: z.array(QuestionOption).optional().describe('The choices. If omitted: free text.'),
  multiSelect: z.boolean(),
  allowOther: z.boolean().describe('Whether it accepts `{"other": "text"}`.'),
  schema: ValueSchema.optional().describe('The schema of the value, if there are no options.'),
  default: AnswerValue.optional(),
  required: z.boolean(),
});
export type QuestionField = z.infer<typeof QuestionField>;

export const QuestionOutcome = z.strictObject({
  answers: z.record(z.string(), AnswerValue).optional(),
  comment: z.string().optional(),
  by: z
    .string()
    .optional()
    .describe('Who closed it: the name of the key, or of the person behind the link, email or Slack user.'),
  via: z
    .string()
    .optional()
    .describe(
      'How it was closed: `web`, `terminal` or `http`, as stated by the caller; `slack`, `email` or `link`; `temporal` for Temporal’s tools; `timer` at the deadline.',
    ),
  at: Timestamp,
  defaulted: z.boolean().optional().describe('No answer in time; the defaults were used.'),
});
export type QuestionOutcome = z.infer<typeof QuestionOutcome>;

export const QuestionNotification = z.strictObject({
  at: Timestamp,
  channel: z.string().describe('The destination: `slack:#ops`, `email:ops@example.com`, `webhook`, `inbox`, `log`.'),
  what: z
    .string()
    .describe('`asked`, `reminder 1 of 2`, `escalated to maria`; with the error if it could not be sent.'),
});
export type QuestionNotification = z.infer<typeof QuestionNotification>;

/** The only action that a "yes" to this question approves. */
export const ActionToConfirm = z.strictObject({
  tool: z.string().nullable().describe('The tool that runs if approved; null if the agent performs the action itself.'),
  arguments: z.unknown().describe('The exact arguments.'),
  digest: z.string().describe('SHA-256 of the arguments as canonical JSON.'),
  destructive: z.boolean().optional().describe('True if the tool declares that it may change or delete things.'),
});
export type ActionToConfirm = z.infer<typeof ActionToConfirm>;

export const Question = z.strictObject({
  id: z.string(),
  conversationId: z.string(),
  agent: z.string(),
  origin: z.array(z.string()).describe('The agents it was delegated through, root first.'),
  status: QuestionStatus,
  context: z
    .string()
    .nullable()
    .describe('A few lines of Markdown: why the agent asks and what depends on the answer.'),
  fields: z.array(QuestionField),
  askedAt: Timestamp,
  expiresAt: Timestamp.nullable().describe('The deadline; null if there is none.'),
  onTimeout: OnTimeout,
  notices: z.array(QuestionNotification).describe('Notifications sent, and when.'),
  confirms: ActionToConfirm.optional().describe('Only if it asks to confirm an action.'),
  outcome: QuestionOutcome.nullable(),
});
export type Question = z.infer<typeof Question>;

/** Any object, unchanged, even with `__proto__`: zod's record would drop that key and hide it from later validation. */
export const JsonObject = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object')
  .transform((value) => value as Record<string, unknown>)
  .meta({ type: 'object' });

/** A validation error in a request, an answer or a tool call, with the allowed values. */
export interface ValidationIssue {
  path: string;
  message: string;
  allowed?: string[];
}
