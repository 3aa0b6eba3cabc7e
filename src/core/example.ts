import type { Field } from '#contract/question';
import { checkValue } from './answers';
import { FORMATS } from './formats';
import { sampleOf } from './sample';
import type { Text } from './value-schema';

/** An answer that would do, to copy and change. Where none can be found, words that say there is something to write. */
export function exampleOf(field: Field): unknown {
  if (field.default !== undefined) return field.default;
  const label = field.options?.[0]?.label;
  if (label !== undefined) return field.multiSelect ? [label] : label;
  const { schema } = field;
  switch (schema?.type) {
    case 'number':
      return schema.minimum ?? Math.min(schema.maximum ?? 1, 1);
    case 'integer':
      return Math.ceil(schema.minimum ?? Math.min(Math.floor(schema.maximum ?? 1), 1));
    case 'boolean':
      return true;
    case 'array':
      return schema.items.enum.slice(0, schema.minItems || 1);
    case 'string':
      return schema.enum?.[0] ?? textsFor(schema).find((text) => !checkValue(field, text)) ?? YOURS;
    default:
      return YOURS;
  }
}

const YOURS = 'your text';

function textsFor({ format, minLength = 0, maxLength = YOURS.length, pattern }: Text): string[] {
  const long = YOURS.repeat(Math.ceil(minLength / YOURS.length) || 1);
  const text = long.slice(0, Math.max(minLength, Math.min(maxLength, YOURS.length))).trimEnd();
  return [
    ...(format ? [FORMATS[format].example] : []),
    ...(pattern === undefined ? [] : [sampleOf(pattern)]),
    text,
    text.padEnd(minLength, 'x'),
  ];
}
