import type { Fault } from '#contract/question';
import type { ValueSchema } from '#contract/value-schema';
import { FORMATS } from './formats';
import { longestFor, matches } from './pattern';

export type ValueFault = Omit<Fault, 'path'>;
type Of<Type extends ValueSchema['type']> = Extract<ValueSchema, { type: Type }>;
export type Text = Of<'string'>;
export type Numeric = Of<'number'> | Of<'integer'>;
export type List = Of<'array'>;

/** Does the value fit? Everything that is wrong with it at once, in words for whoever answers. */
export function checkAgainst(schema: ValueSchema, value: unknown): ValueFault | undefined {
  switch (schema.type) {
    case 'string':
      return schema.enum ? checkOne(schema.enum, value) : faulty(textFaults(schema, value));
    case 'number':
    case 'integer':
      return checkNumber(schema, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { message: `must be true or false${notText(value)}` };
    case 'array':
      return checkList(schema, value);
  }
}

/** What there is to choose from, if anything. */
export function choicesOf(schema: ValueSchema | undefined): string[] | undefined {
  if (schema?.type === 'array') return schema.items.enum;
  return schema?.type === 'string' ? schema.enum : undefined;
}

export function isFreeText(schema: ValueSchema): schema is Text {
  return schema.type === 'string' && !schema.enum;
}

function faulty(faults: string[]): ValueFault | undefined {
  return faults.length === 0 ? undefined : { message: faults.join('; ') };
}

function notText(value: unknown): string {
  return typeof value === 'string' ? ', sent as JSON and not as text in quotes' : '';
}

/** What is wrong with it as text, leaving aside which texts there are to choose from. */
export function textFaults(schema: Text, value: unknown): string[] {
  if (typeof value !== 'string') return ['must be text, in quotes'];
  if (value.trim() === '' && schema.minLength !== 0) return ['the answer is empty'];
  const faults: string[] = [];
  const length = [...value].length;
  const { least, most } = lengthsOf(schema);
  if (length < least) faults.push(`must be at least ${characters(least)}`);
  if (length > most) faults.push(`must be at most ${characters(most)}`);
  const format = schema.format && FORMATS[schema.format];
  if (format && !format.fits(value)) faults.push(`must be ${format.words} such as ${format.example}`);
  const { pattern } = schema;
  if (pattern !== undefined && length <= most && !matches(pattern, value))
    faults.push(`must match the pattern ${pattern}`);
  return faults;
}

/** How short and how long a text may be; a pattern that is much work takes only short ones. */
function lengthsOf({ minLength, maxLength, pattern }: Text): { least: number; most: number } {
  const checked = pattern === undefined ? Number.POSITIVE_INFINITY : longestFor(pattern);
  return { least: minLength ?? 0, most: Math.min(maxLength ?? checked, checked) };
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

function checkOne(choices: string[], value: unknown): ValueFault | undefined {
  if (typeof value === 'string' && choices.includes(value)) return undefined;
  const message =
    typeof value === 'string'
      ? `${JSON.stringify(value.slice(0, 200))} is not one of the choices`
      : 'must be one of the choices; none of your own is taken here';
  return { message, allowed: choices };
}

function checkNumber(schema: Numeric, value: unknown): ValueFault | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const isOne = schema.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  if (!isOne || (value as number) < minimum || (value as number) > maximum)
    return { message: `must be ${wordsFor(schema)}${notText(value)}` };
  // Beyond that JSON has already changed its last digits.
  if (schema.type === 'integer' && !Number.isSafeInteger(value))
    return { message: `must be a whole number of at most ${Number.MAX_SAFE_INTEGER}, plus or minus` };
  return undefined;
}

const FAULTS_NAMED = 20;

function checkList({ items, minItems, maxItems }: List, value: unknown): ValueFault | undefined {
  const allowed = items.enum;
  if (!Array.isArray(value)) return { message: 'must be a list of choices', allowed };
  const faults = value.flatMap((choice) => checkOne(allowed, choice)?.message ?? []).slice(0, FAULTS_NAMED);
  const least = minItems ?? 1;
  if (faults.length === 0 && new Set(value).size < value.length) faults.push('a choice is made twice');
  if (value.length < least) faults.push(`choose at least ${least}`);
  if (value.length > (maxItems ?? allowed.length))
    faults.push(`choose at most ${maxItems ?? allowed.length}`);
  return faults.length === 0 ? undefined : { message: faults.join('; '), allowed };
}

/** What the value has to be, in words: "a whole number from 1 to 10". */
export function wordsFor(schema: ValueSchema): string {
  switch (schema.type) {
    case 'string':
      return schema.enum ? 'choose one' : textWords(schema);
    case 'number':
      return `a number${range(schema.minimum, schema.maximum, 'from ')}`;
    case 'integer':
      return `a whole number${range(schema.minimum, schema.maximum, 'from ')}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `choose${range(schema.minItems || undefined, schema.maxItems).replace(' of', '') || ' any'}`;
  }
}

function textWords(schema: Text): string {
  const { minLength, maxLength, pattern } = schema;
  const what = schema.format ? FORMATS[schema.format].words : 'text';
  const lengths = range(minLength || undefined, maxLength);
  const unit = maxLength === 1 || (maxLength === undefined && minLength === 1) ? 'character' : 'characters';
  return `${what}${lengths && `${lengths} ${unit}`}${pattern === undefined ? '' : ` that matches ${pattern}`}`;
}

function range(least: number | undefined, most: number | undefined, from = 'of '): string {
  if (least === undefined) return most === undefined ? '' : ` of at most ${most}`;
  if (most === undefined) return ` of at least ${least}`;
  return least === most ? ` of exactly ${least}` : ` ${from}${least} to ${most}`;
}
