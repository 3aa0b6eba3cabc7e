import type { ValidationIssue, ValueSchema } from '#contract/question';
import { describeSchema } from './describe-schema';
import { STRING_FORMATS } from './formats';
import { matchesPattern, maxPatternTextLength } from './pattern';

export type ValueIssue = Omit<ValidationIssue, 'path'>;
type SchemaOfType<Type extends ValueSchema['type']> = Extract<ValueSchema, { type: Type }>;
export type StringSchema = SchemaOfType<'string'>;
export type NumberSchema = SchemaOfType<'number'> | SchemaOfType<'integer'>;
export type ListSchema = SchemaOfType<'array'>;

/** Validates a value against a schema. The issue lists every error, in words for people. */
export function validateValue(schema: ValueSchema, value: unknown): ValueIssue | undefined {
  switch (schema.type) {
    case 'string':
      return schema.enum ? validateChoice(schema.enum, value) : joinIssues(findTextIssues(schema, value));
    case 'number':
    case 'integer':
      return validateNumber(schema, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { message: `must be true or false${notTextHint(value)}` };
    case 'array':
      return validateList(schema, value);
  }
}

/** The choices of an enum schema, if it is one. */
export function schemaChoices(schema: ValueSchema | undefined): string[] | undefined {
  if (schema?.type === 'array') return schema.items.enum;
  return schema?.type === 'string' ? schema.enum : undefined;
}

export function isFreeTextSchema(schema: ValueSchema): schema is StringSchema {
  return schema.type === 'string' && !schema.enum;
}

function joinIssues(issues: string[]): ValueIssue | undefined {
  return issues.length === 0 ? undefined : { message: issues.join('; ') };
}

function notTextHint(value: unknown): string {
  return typeof value === 'string' ? ', without quotes' : '';
}

/** Issues with a text, leaving enum choices aside. */
export function findTextIssues(schema: StringSchema, value: unknown): string[] {
  if (typeof value !== 'string') return ['must be text'];
  if (value.trim() === '' && schema.minLength !== 0) return ['must not be empty'];
  const issues: string[] = [];
  const length = [...value].length;
  const { min, max } = textLengthLimits(schema);
  if (length < min) issues.push(`must be at least ${formatCharacterCount(min)}`);
  if (length > max) issues.push(`must be at most ${formatCharacterCount(max)}`);
  const format = schema.format && STRING_FORMATS[schema.format];
  if (format && !format.matches(value)) issues.push(`must be ${format.description} such as ${format.example}`);
  const { pattern } = schema;
  if (pattern !== undefined && length <= max && !matchesPattern(pattern, value))
    issues.push(`must match the pattern ${pattern}`);
  return issues;
}

/** Length limits of a text. An expensive pattern allows only short texts. */
function textLengthLimits({ minLength, maxLength, pattern }: StringSchema): { min: number; max: number } {
  const patternLimit = pattern === undefined ? Number.POSITIVE_INFINITY : maxPatternTextLength(pattern);
  return { min: minLength ?? 0, max: Math.min(maxLength ?? patternLimit, patternLimit) };
}

function formatCharacterCount(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

function validateChoice(choices: string[], value: unknown): ValueIssue | undefined {
  if (typeof value === 'string' && choices.includes(value)) return undefined;
  const message =
    typeof value === 'string'
      ? `${JSON.stringify(value.slice(0, 200))} is not one of the choices`
      : 'must be one of the choices';
  return { message, allowed: choices };
}

function validateNumber(schema: NumberSchema, value: unknown): ValueIssue | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const isOne = schema.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  if (!isOne || (value as number) < minimum || (value as number) > maximum)
    return { message: `must be ${describeSchema(schema)}${notTextHint(value)}` };
  // Beyond that, JSON parsing has already changed the last digits.
  if (schema.type === 'integer' && !Number.isSafeInteger(value))
    return { message: `must be a whole number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}` };
  return undefined;
}

const MAX_ISSUES = 20;

function validateList({ items, minItems, maxItems }: ListSchema, value: unknown): ValueIssue | undefined {
  const allowed = items.enum;
  if (!Array.isArray(value)) return { message: 'must be a list of choices', allowed };
  const issues = value.flatMap((choice) => validateChoice(allowed, choice)?.message ?? []).slice(0, MAX_ISSUES);
  const least = minItems ?? 1;
  if (issues.length === 0 && new Set(value).size < value.length) issues.push('choose each option only once');
  if (value.length < least) issues.push(`choose at least ${least}`);
  if (value.length > (maxItems ?? allowed.length)) issues.push(`choose at most ${maxItems ?? allowed.length}`);
  return issues.length === 0 ? undefined : { message: issues.join('; '), allowed };
}
