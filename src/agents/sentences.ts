import type { z } from 'zod';
import { didYouMean } from './nearest';

/** One thing that is wrong, and where in the front matter. */
export interface Fault {
  path: PropertyKey[];
  message: string;
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type Issue = z.core.$ZodIssue;

/** Every fault of a value. `besides` are fields that may stand there too, and are checked elsewhere. */
export function faultsOf(schema: z.ZodType, value: unknown, besides: string[] = []): Fault[] {
  const { error } = schema.safeParse(value, {
    error: (issue) => inWords(issue, besides),
    reportInput: true,
  });
  return (error?.issues ?? []).flatMap(unfold);
}

/** Asked only where the schema has no words of its own. */
function inWords(issue: RawIssue, besides: string[]): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(String(issue.expected), issue.input);
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}${didYouMean(String(issue.input), issue.values.map(String))}`;
    case 'too_small':
      return tooLittle(issue.origin, Number(issue.minimum));
    case 'too_big':
      return tooMuch(issue.origin, Number(issue.maximum), issue.input);
    case 'unrecognized_keys':
      return issue.keys.map((key) => noSuchField(key, [...besides, ...fieldsOf(issue.inst)])).join('\n');
    default:
      return undefined;
  }
}

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of fields',
  record: 'a group of fields',
};

function wrongType(expected: string, input: unknown): string {
  const wanted = KINDS[expected] ?? expected;
  if (input === null) return `has no value: it must be ${wanted}`;
  return `must be ${wanted}, not ${kindOf(input)}${hint(expected, input)}`;
}

function kindOf(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'boolean') return String(input);
  if (typeof input === 'number') return Number.isInteger(input) ? 'a number' : String(input);
  return typeof input === 'string' ? 'text' : 'a group of fields';
}

function hint(expected: string, input: unknown): string {
  if (expected === 'string') return typeof input === 'string' ? '' : '; put it in quotes';
  if (typeof input !== 'string') return '';
  if (expected === 'array') return /^[\w@.*-]+$/.test(input) ? `; write [${input}]` : '';
  if (expected === 'boolean') return '; write true or false, without quotes';
  return expected === 'number' && /^\d+$/.test(input) ? '; leave out the quotes' : '';
}

function tooLittle(origin: string, least: number): string {
  if (origin === 'string') return 'must not be empty';
  return origin === 'array' ? `needs at least ${counted(least, 'item')}` : `must be at least ${count(least)}`;
}

function tooMuch(origin: string, most: number, input: unknown): string {
  const found = count((input as { length?: number }).length ?? 0);
  if (origin === 'string') return `is too long: at most ${counted(most, 'character')}, and here are ${found}`;
  if (origin === 'array') return `at most ${counted(most, 'item')}, and here are ${found}`;
  return `must be at most ${count(most)}`;
}

const count = (number: number) => number.toLocaleString('en');
const counted = (number: number, what: string) => `${count(number)} ${what}${number === 1 ? '' : 's'}`;

export function noSuchField(field: string, known: string[]): string {
  return `there is no such field; the fields here are: ${known.join(', ')}${didYouMean(field, known)}`;
}

/** The fields that a schema of a group has. */
export function fieldsOf(schema: unknown): string[] {
  return Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
}

const MISSING = 'is missing';

/** One fault for each unknown field, and of several shapes only what is wrong with the one that was meant. */
function unfold(issue: Issue): Fault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const sentences = message.split('\n');
    return issue.keys.map((key, at) => ({ path: [...path, key], message: sentences[at] ?? '' }));
  }
  if (issue.code === 'invalid_union') return unfoldUnion(issue);
  // Whatever the schema says of a bad value: there is none.
  return [{ path, message: issue.input === undefined ? MISSING : message }];
}

function unfoldUnion({ path, message, errors }: Issue & { code: 'invalid_union' }): Fault[] {
  const shapes = errors.map((issues) => issues.flatMap(unfold));
  const whole = shapes.filter(
    (faults) => !faults.some((one) => one.path.length === 1 && one.message === MISSING),
  );
  const meant = whole.length === 1 ? whole[0] : undefined;
  const faults = meant ?? [{ path: [], message }, ...inAll(shapes)];
  return faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
}

/** What is wrong whichever shape was meant. */
function inAll([first = [], ...others]: Fault[][]): Fault[] {
  const same = (a: Fault, b: Fault) => a.message === b.message && a.path.join() === b.path.join();
  return first.filter((one) => one.path.length > 0 && others.every((list) => list.some((o) => same(o, one))));
}
