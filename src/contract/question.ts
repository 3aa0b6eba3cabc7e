import { z } from 'zod';
import { Timestamp } from './time';

const MAX_TEXT_LENGTH = 32_768;
const minimumLength = z.number().int().min(0).max(MAX_TEXT_LENGTH);
const maximumLength = z.number().int().min(1).max(MAX_TEXT_LENGTH);
const numberBound = z.number();
const choiceText = z.string().min(1).max(200).regex(/\S/, 'must not be blank');
const choiceList = z
  .array(choiceText, {
    error: ({ code }) => (code === 'invalid_type' ? 'must be a list of the choices, each a string' : undefined),
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
        ? `there is no ${issue.keys.map((key) => JSON.stringify(key)).join(', ')} here: the keywords are ${known}`
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
      minLength: minimumLength.optional().describe('In characters. With 0 the text may be left empty.'),
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
      minItems: minimumLength.optional().describe('With 0 none need be chosen.'),
      maxItems: maximumLength.optional(),
    }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? 'must be "string", "number", "integer", "boolean" or "array": a flat schema of one value, with nothing nested'
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
  key: z.string().describe('`q1`, `q2` …: what its answer goes by.'),
  header: z.string().describe('A label of at most 12 characters.'),
  question: z.string(),
  options: z.array(QuestionOption).optional().describe('The choices. None: free text.'),
  multiSelect: z.boolean(),
  allowOther: z.boolean().describe('May be answered `{"other": "text"}`.'),
  schema: ValueSchema.optional().describe('What the value has to be, where there are no options.'),
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
    .describe('Who settled it: the name of the key, or of the person whom the link, mail or Slack user is.'),
  via: z
    .string()
    .optional()
    .describe(
      'The way it came: `web`, `terminal` or `http`, as the caller says of itself; `slack`, `email` or `link`; `temporal` by Temporal’s own tools, `timer` where nobody answered.',
    ),
  at: Timestamp,
  defaulted: z.boolean().optional().describe('Nobody answered: these are the defaults the agent named.'),
});
export type QuestionOutcome = z.infer<typeof QuestionOutcome>;

export const QuestionNotification = z.strictObject({
  at: Timestamp,
  channel: z.string().describe('Where: `slack:#ops`, `email:ops@example.com`, `webhook`, `inbox`, `log`.'),
  what: z.string().describe('`asked`, `reminder 1 of 2`, `escalated to maria`; and why, where it could not be sent.'),
});
export type QuestionNotification = z.infer<typeof QuestionNotification>;

/** The only action that a "yes" to this question approves. */
export const ActionToConfirm = z.strictObject({
  tool: z.string().nullable().describe('The tool that runs on a "yes"; null where the agent acts by itself.'),
  arguments: z.unknown().describe('Exactly these.'),
  digest: z.string().describe('SHA-256 of the arguments as canonical JSON.'),
  destructive: z.boolean().optional().describe('True where the tool declares that it may change or delete things.'),
});
export type ActionToConfirm = z.infer<typeof ActionToConfirm>;

export const Question = z.strictObject({
  id: z.string(),
  conversationId: z.string(),
  agent: z.string(),
  origin: z.array(z.string()).describe('The agents it comes from, root first.'),
  status: QuestionStatus,
  context: z.string().nullable().describe('A few lines of Markdown: why it is asked and what hangs on it.'),
  fields: z.array(QuestionField),
  askedAt: Timestamp,
  expiresAt: Timestamp.nullable().describe('The deadline. None: it waits for ever.'),
  onTimeout: OnTimeout,
  notices: z.array(QuestionNotification).describe('Who was told of it, and when.'),
  confirms: ActionToConfirm.optional().describe('Only where it asks to confirm an action.'),
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
