import { z } from 'zod';

const length = z.number().int().min(0).max(32_768);
const bound = z.number();
const choices = z.array(z.string().min(1).max(200)).min(1).max(50);

/** The kinds of text a form has a control for. */
export const Format = z.enum(['email', 'uri', 'date', 'date-time']);
export type Format = z.infer<typeof Format>;

/** A flat JSON Schema: what a value has to be, and which control a form shows for it. */
export const ValueSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('string'),
    minLength: length.optional(),
    maxLength: length.optional(),
    pattern: z
      .string()
      .max(256)
      .optional()
      .describe('RE2 syntax: no look-around, no back-references. Matches anywhere unless it has ^ and $.'),
    format: Format.optional(),
    enum: choices.optional(),
  }),
  z.strictObject({ type: z.literal('number'), minimum: bound.optional(), maximum: bound.optional() }),
  z.strictObject({ type: z.literal('integer'), minimum: bound.optional(), maximum: bound.optional() }),
  z.strictObject({ type: z.literal('boolean') }),
  z.strictObject({
    type: z.literal('array'),
    items: z.strictObject({ type: z.literal('string').optional(), enum: choices }),
    minItems: length.optional(),
    maxItems: length.optional(),
  }),
]);
export type ValueSchema = z.infer<typeof ValueSchema>;
