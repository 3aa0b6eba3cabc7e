import type { ValueSchema } from '#contract/question';
import { describeSchema } from './describe-schema';
import { STRING_FORMATS } from './formats';
import { findPatternIssue, maxPatternTextLength } from './pattern';
import { findTextIssues, type ListSchema, type NumberSchema, type StringSchema } from './validate-value';

/** Issues that make a schema unanswerable or its choices ambiguous, for the model to fix. */
export function findSchemaIssues(schema: ValueSchema): string[] {
  switch (schema.type) {
    case 'string':
      return findStringSchemaIssues(schema);
    case 'number':
    case 'integer':
      return findNumberSchemaIssues(schema);
    case 'boolean':
      return [];
    case 'array':
      return findListSchemaIssues(schema);
  }
}

function findStringSchemaIssues(schema: StringSchema): string[] {
  const { minLength, maxLength, pattern } = schema;
  const issues = findBoundsIssues({ minLength, maxLength });
  const why = pattern === undefined ? undefined : findPatternIssue(pattern);
  if (why !== undefined) {
    issues.push(`invalid pattern: ${why}; use RE2 syntax, without look-around or back-references`);
  } else if (pattern !== undefined) {
    const most = maxPatternTextLength(pattern);
    if (Math.max(minLength ?? 0, maxLength ?? 0) > most)
      issues.push(`this pattern supports at most ${most} characters; lower minLength or maxLength`);
  }
  if (schema.format) {
    const { description, minLength: shortest, maxLength: longest } = STRING_FORMATS[schema.format];
    if ((minLength ?? 0) > longest || (maxLength ?? longest) < shortest)
      issues.push(`minLength and maxLength do not allow ${description}`);
  }
  // Issues of the schema itself would repeat for each choice.
  return issues.length > 0 || !schema.enum
    ? issues
    : [...findDuplicateChoices(schema.enum), ...findUnfitChoices(schema.enum, schema)];
}

/** Choices that differ only by surrounding space look the same. */
function findDuplicateChoices(choices: string[]): string[] {
  const seen = new Set(choices.map((choice) => choice.trim()));
  return seen.size < choices.length ? ['enum contains a choice twice'] : [];
}

function findUnfitChoices(choices: string[], schema: StringSchema): string[] {
  return choices.flatMap((choice) => {
    const issues = findTextIssues(schema, choice);
    return issues.length === 0 ? [] : [`invalid choice ${JSON.stringify(choice)}: ${issues.join('; ')}`];
  });
}

function findNumberSchemaIssues(schema: NumberSchema): string[] {
  const { type, minimum, maximum } = schema;
  const issues = findBoundsIssues({ minimum, maximum });
  if (type === 'number' || issues.length > 0) return issues;
  const least = Math.max(Math.ceil(minimum ?? Number.MIN_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
  const most = Math.min(Math.floor(maximum ?? Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  return least > most ? [`no exact JSON number is ${describeSchema(schema)}`] : [];
}

function findListSchemaIssues({ items, minItems, maxItems }: ListSchema): string[] {
  const issues = [...findBoundsIssues({ minItems, maxItems }), ...findDuplicateChoices(items.enum)];
  const most = items.enum.length;
  for (const [name, count] of Object.entries({ minItems, maxItems }))
    if (count !== undefined && count > most) issues.push(`${name} is ${count}, but there are only ${most} choices`);
  return issues;
}

/** The minimum must not exceed the maximum. */
function findBoundsIssues(bounds: Record<string, number | undefined>): string[] {
  const [[least, from] = [], [most, to] = []] = Object.entries(bounds);
  return from !== undefined && to !== undefined && from > to ? [`${least} ${from} is more than ${most} ${to}`] : [];
}
