import type { z } from 'zod';

/** One thing that is wrong, and where. */
export interface SchemaIssue {
  path: PropertyKey[];
  message: string;
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type ReportedIssue = z.core.$ZodIssue;

/** The same sentences in the words of whoever reads them: one writes YAML, another JSON. */
export interface IssueWording {
  /** What zod calls a type. */
  kinds: Record<string, string>;
  count(number: number): string;
  wrongNull(wanted: string): string;
  /** How to mend it, where that can be guessed. */
  hint(expected: string, input: unknown): string;
}

const JSON_WORDING: IssueWording = {
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
export const readableParseOptions = { error: createIssueFormatter(JSON_WORDING), reportInput: true };

/**
 * Asked only where the schema has no words of its own. `besides` are fields that may stand there too, and are checked
 * elsewhere.
 */
export function createIssueFormatter(
  wording: IssueWording,
  besides: string[] = [],
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
          .map((key) => describeUnknownField(key, [...besides, ...listSchemaFields(issue.inst)]))
          .join('\n');
      case 'invalid_union':
        return describeUnionMismatch(wording, issue);
      case 'invalid_format':
        return `is not written as ${issue.pattern ? `it must be: ${issue.pattern}` : `a ${issue.format} is`}`;
      case 'invalid_key':
        return `its name ${issue.issues[0]?.message ?? UNEXPECTED_FORM}`;
      default:
        return UNEXPECTED_FORM;
    }
  };
}

const UNEXPECTED_FORM = 'is not as it must be';
export const MISSING_VALUE = 'is missing';

/** What zod found, one fault for each unknown field. */
export function toSchemaIssues(issue: ReportedIssue): SchemaIssue[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys' && message.startsWith(UNKNOWN_FIELD)) {
    const sentences = message.split('\n');
    return issue.keys.map((key, at) => ({ path: [...path, key], message: sentences[at] ?? '' }));
  }
  // Whatever the schema says of a bad value: there is none.
  const isMissing = issue.input === undefined && !message.startsWith(MISSING_VALUE);
  return [{ path, message: isMissing ? `${MISSING_VALUE}: ${message}` : message }];
}

function describeWrongType({ kinds, count, wrongNull, hint }: IssueWording, issue: RawIssue): string {
  const expected = String(issue.expected);
  const { input, inst } = issue;
  const wanted = `${kinds[expected] ?? expected}${describeRange(inst, count)}`;
  if (input === undefined) return [MISSING_VALUE, inlineDescription(inst)].filter(Boolean).join(': ');
  if (input === null) return wrongNull(wanted);
  return `must be ${wanted}, not ${describeKind(input, kinds)}${hint(expected, input)}`;
}

/** What goes there, as it stands in the middle of a sentence. */
function inlineDescription(schema: unknown): string {
  const said = (schema as { description?: string } | undefined)?.description ?? '';
  return said.replace(/\.$/, '').replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
}

/** Whoever wrote no number at all should not learn of its limits one after the other. */
function describeRange(schema: unknown, count: IssueWording['count']): string {
  const { minValue = null, maxValue = null } = (schema ?? {}) as Record<'minValue' | 'maxValue', unknown>;
  const isLimit = (value: unknown): value is number => Number.isInteger(value) && Number.isFinite(value);
  if (!isLimit(minValue) || !isLimit(maxValue) || maxValue === Number.MAX_SAFE_INTEGER) return '';
  return ` from ${count(minValue)} to ${count(maxValue)}`;
}

function describeKind(input: unknown, kinds: IssueWording['kinds']): string {
  if (Array.isArray(input)) return 'a list';
  if (input === null || typeof input === 'boolean') return String(input);
  if (typeof input === 'number') return Number.isInteger(input) ? 'a number' : String(input);
  return kinds[typeof input] ?? 'something else';
}

function describeAllowedValues(values: readonly unknown[], input: unknown): string {
  const [only] = values;
  const known = values.map(String);
  const allowed = values.length === 1 ? JSON.stringify(only) : `one of: ${known.join(', ')}`;
  if (input === undefined) return `${MISSING_VALUE}: ${allowed}`;
  return `must be ${allowed}${didYouMean(String(input), known)}`;
}

function describeTooSmall({ count }: IssueWording, origin: string, least: number, inclusive = true): string {
  const counted = (what: string) => `${count(least)} ${what}${least === 1 ? '' : 's'}`;
  if (origin === 'string') return least === 1 ? 'must not be empty' : `is too short: at least ${counted('character')}`;
  if (origin === 'array') return `needs at least ${counted('item')}`;
  return `must be ${inclusive ? 'at least' : 'more than'} ${count(least)}`;
}

function describeTooBig({ count }: IssueWording, issue: RawIssue & { code: 'too_big' }): string {
  const { origin, inclusive = true, input } = issue;
  const most = Number(issue.maximum);
  const counted = (what: string) => `${count(most)} ${what}${most === 1 ? '' : 's'}`;
  const found = count((input as { length?: number }).length ?? 0);
  if (origin === 'string') return `is too long: at most ${counted('character')}, and here are ${found}`;
  if (origin === 'array') return `at most ${counted('item')}, and here are ${found}`;
  return `must be ${inclusive ? 'at most' : 'less than'} ${count(most)}`;
}

/** Of several shapes none fits: say what there are, as far as they are told apart by their type. */
function describeUnionMismatch(
  { kinds }: IssueWording,
  { errors = [], input }: RawIssue & { code: 'invalid_union' },
): string {
  const types = errors.flatMap((issues) =>
    issues.flatMap((one) => (one.path.length === 0 && one.code === 'invalid_type' ? [one.expected] : [])),
  );
  const wanted = [...new Set(types.map((type) => kinds[type] ?? type))];
  if (types.length < errors.length || wanted.length === 0) return 'has none of the forms that it may have';
  const named = wanted.length === 1 ? wanted : [wanted.slice(0, -1).join(', '), wanted.at(-1)];
  if (input === undefined) return `${MISSING_VALUE}: ${named.join(' or ')}`;
  return `must be ${named.join(' or ')}, not ${describeKind(input, kinds)}`;
}

const UNKNOWN_FIELD = 'there is no such field';

export function describeUnknownField(field: string, known: string[]): string {
  return `${UNKNOWN_FIELD}; the fields here are: ${known.join(', ')}${didYouMean(field, known)}`;
}

/** The fields that a schema of a group has. */
function listSchemaFields(schema: unknown): string[] {
  return Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
}

/** A few slips of the finger, fewer in a short word. */
const maxEditDistance = (word: string) => (word.length < 4 ? 1 : word.length < 9 ? 2 : 3);

/** What was probably meant, if one of these is near enough. */
export function findClosestMatch(word: string, known: readonly string[]): string | undefined {
  const written = word.toLowerCase();
  const ranked = known
    .map((one) => ({ one, away: editDistance(written, one.toLowerCase()) }))
    .filter(({ away }) => away <= maxEditDistance(word))
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.one;
}

/** `; did you mean …?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = findClosestMatch(word, known);
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`;
}

/** How many letters have to be put in, left out or changed to make the one word the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [down, letter] of [...from].entries()) {
    let left = down + 1;
    const next = [left];
    for (const [across, other] of [...to].entries()) {
      const changed = (row[across] ?? 0) + (letter === other ? 0 : 1);
      left = Math.min(changed, left + 1, (row[across + 1] ?? 0) + 1);
      next.push(left);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
