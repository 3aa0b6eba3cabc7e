import { z } from 'zod';
import type { ValidationIssue } from './question';

export interface SchemaIssue {
  path: PropertyKey[];
  message: string;
}

/** An error names this many issues and counts the rest: a small request must not cause a huge response. */
export const MAX_NAMED_ISSUES = 20;

/** Names the first issues, in words and as fields, and counts the rest. */
export function summarizeIssues(issues: ValidationIssue[], count = issues.length) {
  const errors = issues.slice(0, MAX_NAMED_ISSUES);
  const moreErrors = count - errors.length;
  const sentences = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const summary = [...sentences, ...(moreErrors > 0 ? [`and ${moreErrors} more`] : [])].join('; ');
  return { summary, errors, ...(moreErrors > 0 ? { moreErrors } : {}) };
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type ReportedIssue = z.core.$ZodIssue;

/** The wording of messages for one audience: people who write YAML, or clients that send JSON. */
export interface IssueWording {
  typeNames: Record<string, string>;
  formatNumber(number: number): string;
  describeNull(expected: string): string;
  /** Suggests how to fix the value; empty if there is no likely fix. */
  hint(expected: string, input: unknown): string;
}

const JSON_WORDING: IssueWording = {
  typeNames: {
    string: 'a string',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
  },
  formatNumber: String,
  describeNull: (expected) => `must be ${expected}, not null`,
  hint: () => '',
};

/** Options for `safeParse`, as zod's own messages assume knowledge of zod. */
export const readableParseOptions = { error: createIssueFormatter(JSON_WORDING), reportInput: true };

/** Formats issues for which the schema has no message. `otherFields` are allowed, and validated elsewhere. */
export function createIssueFormatter(
  wording: IssueWording,
  otherFields: string[] = [],
): (issue: RawIssue) => string | undefined {
  return (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        return describeWrongType(wording, issue);
      case 'invalid_value':
        return describeAllowedValues(issue.values, issue.input);
      case 'too_small':
        return describeTooSmall(wording, issue.origin, Number(issue.minimum), issue.inclusive);
      case 'too_big':
        return describeTooBig(wording, issue);
      case 'unrecognized_keys':
        return issue.keys
          .slice(0, MAX_NAMED_ISSUES)
          .map((key) => describeUnknownField(key, [...otherFields, ...listSchemaFields(issue.inst)]))
          .join('\n');
      case 'invalid_union':
        return describeUnionMismatch(wording, issue);
      case 'invalid_format':
        return issue.pattern ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
      case 'invalid_key':
        return `name ${issue.issues[0]?.message ?? UNEXPECTED_FORM}`;
      default:
        return UNEXPECTED_FORM;
    }
  };
}

const UNEXPECTED_FORM = 'is invalid';
export const MISSING_VALUE = 'is missing';

/** Converts an issue of zod, with a separate issue for each unknown field. */
export function toSchemaIssues(issue: ReportedIssue): SchemaIssue[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys' && message.startsWith(UNKNOWN_FIELD)) {
    const messages = message.split('\n');
    return messages.map((text, index) => ({ path: [...path, issue.keys[index] ?? ''], message: text }));
  }
  // A missing value is reported as such, even if the schema has its own message.
  const isMissing = issue.input === undefined && !message.startsWith(MISSING_VALUE);
  return [{ path, message: isMissing ? `${MISSING_VALUE}; ${message}` : message }];
}

function describeWrongType({ typeNames, formatNumber, describeNull, hint }: IssueWording, issue: RawIssue): string {
  const expected = String(issue.expected);
  const { input, inst } = issue;
  const expectedText = `${typeNames[expected] ?? expected}${describeRange(inst, formatNumber)}`;
  if (input === undefined) return [MISSING_VALUE, inlineDescription(inst)].filter(Boolean).join(': ');
  if (input === null) return describeNull(expectedText);
  return `must be ${expectedText}, not ${describeType(input, typeNames)}${hint(expected, input)}`;
}

/** Returns the description of a schema, worded to continue a sentence. */
function inlineDescription(schema: unknown): string {
  const description = (schema as { description?: string } | undefined)?.description ?? '';
  return description.replace(/\.$/, '').replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
}

/** Returns the bounds of a number, so that a wrong type and a wrong range are reported at once. */
function describeRange(schema: unknown, formatNumber: IssueWording['formatNumber']): string {
  const { minValue = null, maxValue = null } = (schema ?? {}) as Record<'minValue' | 'maxValue', unknown>;
  const isLimit = (value: unknown): value is number => Number.isInteger(value) && Number.isFinite(value);
  if (!isLimit(minValue) || !isLimit(maxValue) || maxValue === Number.MAX_SAFE_INTEGER) return '';
  return ` from ${formatNumber(minValue)} to ${formatNumber(maxValue)}`;
}

function describeType(input: unknown, typeNames: IssueWording['typeNames']): string {
  if (Array.isArray(input)) return 'a list';
  if (input === null || typeof input === 'boolean') return String(input);
  if (typeof input === 'number') return Number.isInteger(input) ? 'a number' : String(input);
  return typeNames[typeof input] ?? 'something else';
}

function describeAllowedValues(values: readonly unknown[], input: unknown): string {
  const [onlyValue] = values;
  const known = values.map(String);
  const allowed = values.length === 1 ? JSON.stringify(onlyValue) : `one of: ${known.join(', ')}`;
  if (input === undefined) return `${MISSING_VALUE}: ${allowed}`;
  return `must be ${allowed}${didYouMean(String(input), known)}`;
}

function describeTooSmall({ formatNumber }: IssueWording, origin: string, min: number, inclusive = true): string {
  const formatCount = (unit: string) => `${formatNumber(min)} ${unit}${min === 1 ? '' : 's'}`;
  if (origin === 'string') return min === 1 ? 'must not be empty' : `must be at least ${formatCount('character')}`;
  if (origin === 'array') return `must have at least ${formatCount('item')}`;
  return `must be ${inclusive ? 'at least' : 'more than'} ${formatNumber(min)}`;
}

function describeTooBig({ formatNumber }: IssueWording, issue: RawIssue & { code: 'too_big' }): string {
  const { origin, inclusive = true, input } = issue;
  const max = Number(issue.maximum);
  const formatCount = (unit: string) => `${formatNumber(max)} ${unit}${max === 1 ? '' : 's'}`;
  const actualLength = formatNumber((input as { length?: number }).length ?? 0);
  if (origin === 'string') return `must be at most ${formatCount('character')}, but has ${actualLength}`;
  if (origin === 'array') return `must have at most ${formatCount('item')}, but has ${actualLength}`;
  return `must be ${inclusive ? 'at most' : 'less than'} ${formatNumber(max)}`;
}

/** Describes a value that matches no alternative of a union: lists their types if they differ by type. */
function describeUnionMismatch(
  { typeNames }: IssueWording,
  { errors = [], input }: RawIssue & { code: 'invalid_union' },
): string {
  const types = errors.flatMap((issues) =>
    issues.flatMap((issue) => (issue.path.length === 0 && issue.code === 'invalid_type' ? [issue.expected] : [])),
  );
  const expectedTypes = [...new Set(types.map((type) => typeNames[type] ?? type))];
  if (types.length < errors.length || expectedTypes.length === 0) return 'matches none of the allowed formats';
  const alternatives =
    expectedTypes.length === 1 ? expectedTypes : [expectedTypes.slice(0, -1).join(', '), expectedTypes.at(-1)];
  if (input === undefined) return `${MISSING_VALUE}: ${alternatives.join(' or ')}`;
  return `must be ${alternatives.join(' or ')}, not ${describeType(input, typeNames)}`;
}

const UNKNOWN_FIELD = 'unknown field';

export function describeUnknownField(field: string, known: string[]): string {
  return `${UNKNOWN_FIELD}; allowed: ${known.join(', ')}${didYouMean(field, known)}`;
}

function listSchemaFields(schema: unknown): string[] {
  return Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
}

/** Number of tolerated typos; fewer in a short word. */
const maxEditDistance = (word: string) => (word.length < 4 ? 1 : word.length < 9 ? 2 : 3);

/** Returns the known word closest to this one, if it is close enough. */
export function findClosestMatch(word: string, known: readonly string[]): string | undefined {
  const lowerCased = word.toLowerCase();
  const candidates = known
    .map((candidate) => ({ candidate, distance: editDistance(lowerCased, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxEditDistance(word))
    .sort((a, b) => a.distance - b.distance);
  return candidates[0]?.candidate;
}

/** Returns `; did you mean …?`, or an empty string. */
export function didYouMean(word: string, known: readonly string[]): string {
  const suggestion = findClosestMatch(word, known);
  return suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`;
}

/** Returns the Levenshtein distance between two words. */
function editDistance(from: string, to: string): number {
  let previousRow = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [rowIndex, letter] of [...from].entries()) {
    let left = rowIndex + 1;
    const currentRow = [left];
    for (const [columnIndex, otherLetter] of [...to].entries()) {
      const substitutionCost = (previousRow[columnIndex] ?? 0) + (letter === otherLetter ? 0 : 1);
      left = Math.min(substitutionCost, left + 1, (previousRow[columnIndex + 1] ?? 0) + 1);
      currentRow.push(left);
    }
    previousRow = currentRow;
  }
  return previousRow.at(-1) ?? 0;
}

/** Text that `parse` turns into a value, or into what is wrong with it. */
export function parsedText<T extends object>(parse: (text: string) => T | string) {
  return z.string().transform((text, context): T => {
    const parsed = parse(text);
    if (typeof parsed !== 'string') return parsed;
    context.addIssue({ code: 'custom', message: parsed });
    return z.NEVER;
  });
}

/** A list as text: entries separated by white space, semicolons or commas, as the pattern says. */
export function entriesOf<T>(entry: z.ZodType<T, string>, separators = /[\s;]+/) {
  return z
    .string()
    .transform((text) => text.split(separators).filter((part) => part !== ''))
    .pipe(z.array(entry));
}
