import type { z } from 'zod';
import { didYouMean } from './nearest';

/** One thing that is wrong, and where. */
export interface Fault {
  path: PropertyKey[];
  message: string;
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type Issue = z.core.$ZodIssue;

/** The same sentences in the words of whoever reads them: one writes YAML, another JSON. */
export interface Wording {
  /** What zod calls a type. */
  kinds: Record<string, string>;
  count(number: number): string;
  wrongNull(wanted: string): string;
  /** How to mend it, where that can be guessed. */
  hint(expected: string, input: unknown): string;
}

const JSON_WORDING: Wording = {
  kinds: {
    string: 'a string',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
  },
  count: String,
  wrongNull: (wanted) => `must be ${wanted}, not null`,
  hint: () => '',
};

/** For `safeParse`: zod's own words are for those who know zod. */
export const IN_WORDS = { error: inWords(JSON_WORDING), reportInput: true };

/**
 * Asked only where the schema has no words of its own. `besides` are fields that may stand there too, and are checked
 * elsewhere.
 */
export function inWords(wording: Wording, besides: string[] = []): (issue: RawIssue) => string | undefined {
  return (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        return wrongType(wording, issue);
      case 'invalid_value':
        return oneOf(issue.values, issue.input);
      case 'too_small':
        return tooLittle(wording, issue.origin, Number(issue.minimum), issue.inclusive);
      case 'too_big':
        return tooMuch(wording, issue);
      case 'unrecognized_keys':
        return issue.keys.map((key) => noSuchField(key, [...besides, ...fieldsOf(issue.inst)])).join('\n');
      case 'invalid_union':
        return noneOf(wording, issue);
      case 'invalid_format':
        return `is not written as ${issue.pattern ? `it must be: ${issue.pattern}` : `a ${issue.format} is`}`;
      case 'invalid_key':
        return `its name ${issue.issues[0]?.message ?? ODD}`;
      default:
        return ODD;
    }
  };
}

const ODD = 'is not as it must be';
export const MISSING = 'is missing';

/** What zod found, one fault for each unknown field. */
export function faultsIn(issue: Issue): Fault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys' && message.startsWith(NO_SUCH_FIELD)) {
    const sentences = message.split('\n');
    return issue.keys.map((key, at) => ({ path: [...path, key], message: sentences[at] ?? '' }));
  }
  // Whatever the schema says of a bad value: there is none.
  const isMissing = issue.input === undefined && !message.startsWith(MISSING);
  return [{ path, message: isMissing ? `${MISSING}: ${message}` : message }];
}

function wrongType({ kinds, count, wrongNull, hint }: Wording, issue: RawIssue): string {
  const expected = String(issue.expected);
  const { input, inst } = issue;
  const wanted = `${kinds[expected] ?? expected}${rangeOf(inst, count)}`;
  if (input === undefined) return [MISSING, descriptionOf(inst)].filter(Boolean).join(': ');
  if (input === null) return wrongNull(wanted);
  return `must be ${wanted}, not ${kindOf(input, kinds)}${hint(expected, input)}`;
}

/** What goes there, as it stands in the middle of a sentence. */
function descriptionOf(schema: unknown): string {
  const said = (schema as { description?: string } | undefined)?.description ?? '';
  return said.replace(/\.$/, '').replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
}

/** Whoever wrote no number at all should not learn of its limits one after the other. */
function rangeOf(schema: unknown, count: Wording['count']): string {
  const { minValue = null, maxValue = null } = (schema ?? {}) as Record<'minValue' | 'maxValue', unknown>;
  const isLimit = (value: unknown): value is number => Number.isInteger(value) && Number.isFinite(value);
  if (!isLimit(minValue) || !isLimit(maxValue) || maxValue === Number.MAX_SAFE_INTEGER) return '';
  return ` from ${count(minValue)} to ${count(maxValue)}`;
}

function kindOf(input: unknown, kinds: Wording['kinds']): string {
  if (Array.isArray(input)) return 'a list';
  if (input === null || typeof input === 'boolean') return String(input);
  if (typeof input === 'number') return Number.isInteger(input) ? 'a number' : String(input);
  return kinds[typeof input] ?? 'something else';
}

function oneOf(values: readonly unknown[], input: unknown): string {
  const [only] = values;
  const known = values.map(String);
  const allowed = values.length === 1 ? JSON.stringify(only) : `one of: ${known.join(', ')}`;
  if (input === undefined) return `${MISSING}: ${allowed}`;
  return `must be ${allowed}${didYouMean(String(input), known)}`;
}

function tooLittle({ count }: Wording, origin: string, least: number, inclusive = true): string {
  const counted = (what: string) => `${count(least)} ${what}${least === 1 ? '' : 's'}`;
  if (origin === 'string')
    return least === 1 ? 'must not be empty' : `is too short: at least ${counted('character')}`;
  if (origin === 'array') return `needs at least ${counted('item')}`;
  return `must be ${inclusive ? 'at least' : 'more than'} ${count(least)}`;
}

function tooMuch({ count }: Wording, issue: RawIssue & { code: 'too_big' }): string {
  const { origin, inclusive = true, input } = issue;
  const most = Number(issue.maximum);
  const counted = (what: string) => `${count(most)} ${what}${most === 1 ? '' : 's'}`;
  const found = count((input as { length?: number }).length ?? 0);
  if (origin === 'string') return `is too long: at most ${counted('character')}, and here are ${found}`;
  if (origin === 'array') return `at most ${counted('item')}, and here are ${found}`;
  return `must be ${inclusive ? 'at most' : 'less than'} ${count(most)}`;
}

/** Of several shapes none fits: say what there are, as far as they are told apart by their type. */
function noneOf({ kinds }: Wording, { errors = [], input }: RawIssue & { code: 'invalid_union' }): string {
  const types = errors.flatMap((issues) =>
    issues.flatMap((one) => (one.path.length === 0 && one.code === 'invalid_type' ? [one.expected] : [])),
  );
  const wanted = [...new Set(types.map((type) => kinds[type] ?? type))];
  if (types.length < errors.length || wanted.length === 0) return 'has none of the forms that it may have';
  const named = wanted.length === 1 ? wanted : [wanted.slice(0, -1).join(', '), wanted.at(-1)];
  if (input === undefined) return `${MISSING}: ${named.join(' or ')}`;
  return `must be ${named.join(' or ')}, not ${kindOf(input, kinds)}`;
}

const NO_SUCH_FIELD = 'there is no such field';

export function noSuchField(field: string, known: string[]): string {
  return `${NO_SUCH_FIELD}; the fields here are: ${known.join(', ')}${didYouMean(field, known)}`;
}

/** The fields that a schema of a group has. */
function fieldsOf(schema: unknown): string[] {
  return Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
}
