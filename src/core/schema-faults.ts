import type { ValueSchema } from '#contract/value-schema';
import { FORMATS } from './formats';
import { longestFor, patternFault } from './pattern';
import { type List, type Numeric, type Text, textFaults, wordsFor } from './value-schema';

/** Why nobody could answer by this schema, or could not tell its choices apart: for the model to mend. */
export function schemaFaults(schema: ValueSchema): string[] {
  switch (schema.type) {
    case 'string':
      return ofText(schema);
    case 'number':
    case 'integer':
      return ofNumber(schema);
    case 'boolean':
      return [];
    case 'array':
      return ofList(schema);
  }
}

function ofText(schema: Text): string[] {
  const { minLength, maxLength, pattern } = schema;
  const faults = inOrder({ minLength, maxLength });
  const why = pattern === undefined ? undefined : patternFault(pattern);
  if (why !== undefined) {
    const how = 'write it in RE2 syntax, with no look-around and no back-references';
    faults.push(`the pattern cannot be used: ${why}; ${how}`);
  } else if (pattern !== undefined) {
    const most = longestFor(pattern);
    if (Math.max(minLength ?? 0, maxLength ?? 0) > most)
      faults.push(`a pattern of this size takes texts of at most ${most} characters: ask for fewer`);
  }
  if (schema.format) {
    const { words, shortest, longest } = FORMATS[schema.format];
    if ((minLength ?? 0) > longest || (maxLength ?? longest) < shortest)
      faults.push(`minLength and maxLength leave no room for ${words}`);
  }
  // What is wrong with the rest of it would be said again of each choice.
  return faults.length > 0 || !schema.enum
    ? faults
    : [...ofChoices(schema.enum), ...unfit(schema.enum, schema)];
}

/** People could not tell choices apart that differ by the room around them. */
function ofChoices(choices: string[]): string[] {
  const seen = new Set(choices.map((choice) => choice.trim()));
  return seen.size < choices.length ? ['two choices of the enum are the same'] : [];
}

function unfit(choices: string[], schema: Text): string[] {
  return choices.flatMap((choice) => {
    const faults = textFaults(schema, choice);
    return faults.length === 0
      ? []
      : [`the choice ${JSON.stringify(choice)} does not fit: ${faults.join('; ')}`];
  });
}

function ofNumber(schema: Numeric): string[] {
  const { type, minimum, maximum } = schema;
  const faults = inOrder({ minimum, maximum });
  if (type === 'number' || faults.length > 0) return faults;
  const least = Math.max(Math.ceil(minimum ?? Number.MIN_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
  const most = Math.min(Math.floor(maximum ?? Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  return least > most ? [`nothing that JSON keeps exactly is ${wordsFor(schema)}`] : [];
}

function ofList({ items, minItems, maxItems }: List): string[] {
  const faults = [...inOrder({ minItems, maxItems }), ...ofChoices(items.enum)];
  const most = items.enum.length;
  for (const [name, count] of Object.entries({ minItems, maxItems }))
    if (count !== undefined && count > most)
      faults.push(`${name} is ${count}, but there are ${most} choices`);
  return faults;
}

/** Of a least and a most, the least must not be more. */
function inOrder(bounds: Record<string, number | undefined>): string[] {
  const [[least, from] = [], [most, to] = []] = Object.entries(bounds);
  return from !== undefined && to !== undefined && from > to
    ? [`${least} ${from} is more than ${most} ${to}`]
    : [];
}
