import type { ValueSchema } from '#contract/question';
import { STRING_FORMATS } from './formats';
import type { StringSchema } from './validate-value';

/** Describes the schema in words: "a whole number from 1 to 10". */
export function describeSchema(schema: ValueSchema): string {
  switch (schema.type) {
    case 'string':
      return schema.enum ? 'choose one' : describeStringSchema(schema);
    case 'number':
      return `a number${describeRange(schema.minimum, schema.maximum, 'from ')}`;
    case 'integer':
      return `a whole number${describeRange(schema.minimum, schema.maximum, 'from ')}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `choose${describeRange(schema.minItems || undefined, schema.maxItems).replace(' of', '') || ' any'}`;
  }
}

function describeStringSchema(schema: StringSchema): string {
  const { minLength, maxLength, pattern } = schema;
  const what = schema.format ? STRING_FORMATS[schema.format].description : 'text';
  const lengths = describeRange(minLength || undefined, maxLength);
  const unit = maxLength === 1 || (maxLength === undefined && minLength === 1) ? 'character' : 'characters';
  return `${what}${lengths && `${lengths} ${unit}`}${pattern === undefined ? '' : ` that matches ${pattern}`}`;
}

function describeRange(least: number | undefined, most: number | undefined, from = 'of '): string {
  if (least === undefined) return most === undefined ? '' : ` of at most ${most}`;
  if (most === undefined) return ` of at least ${least}`;
  return least === most ? ` of exactly ${least}` : ` ${from}${least} to ${most}`;
}
