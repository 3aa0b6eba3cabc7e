import { z } from 'zod';

const LENGTH = 32_768;
const length = z.number().int().min(0).max(LENGTH);
const most = z.number().int().min(1).max(LENGTH);
const bound = z.number();
const choice = z.string().min(1).max(200).regex(/\S/, 'must not be blank');
const choices = z
  .array(choice, {
    error: ({ code }) =>
      code === 'invalid_type' ? 'must be a list of the choices, each a string' : undefined,
  })
  .min(1)
  .max(50);

/** The kinds of text a form has a control for. */
export const Format = z.enum(['email', 'uri', 'date', 'date-time']);
export type Format = z.infer<typeof Format>;

/** An object that takes these keywords and no other, and says so to the model that wrote another. */
function keywords<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `there is no ${issue.keys.map((key) => JSON.stringify(key)).join(', ')} here: the keywords are ${known}`
        : undefined,
  });
}

const items = keywords({ type: z.literal('string').optional(), enum: choices });

/** A flat JSON Schema: what a value has to be, and which control a form shows for it. */
export const ValueSchema = z.discriminatedUnion(
  'type',
  [
    keywords({
      type: z.literal('string'),
      minLength: length.optional().describe('In characters. With 0 the text may be left empty.'),
      maxLength: most.optional(),
      pattern: z
        .string()
        .max(256)
        .optional()
        .describe('RE2 syntax: no look-around, no back-references. Matches anywhere unless it has ^ and $.'),
      format: Format.optional(),
      enum: choices.optional(),
    }),
    keywords({ type: z.literal('number'), minimum: bound.optional(), maximum: bound.optional() }),
    keywords({ type: z.literal('integer'), minimum: bound.optional(), maximum: bound.optional() }),
    keywords({ type: z.literal('boolean') }),
    keywords({
      type: z.literal('array'),
      items,
      minItems: length.optional().describe('With 0 none need be chosen.'),
      maxItems: most.optional(),
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
