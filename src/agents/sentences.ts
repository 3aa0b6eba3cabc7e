import type { z } from 'zod';
import { type Fault, faultsIn, inWords, MISSING, type Wording } from '#contract/sentences';

/** For those who write YAML. */
const WORDING: Wording = {
  kinds: {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a group of fields',
    record: 'a group of fields',
  },
  count: (number) => number.toLocaleString('en'),
  wrongNull: (wanted) => `has no value: it must be ${wanted}`,
  hint(expected, input) {
    if (expected === 'string') return typeof input === 'string' ? '' : '; put it in quotes';
    if (typeof input !== 'string') return '';
    if (expected === 'array') return /^[\w@.*-]+$/.test(input) ? `; write [${input}]` : '';
    if (expected === 'boolean') return '; write true or false, without quotes';
    return expected === 'number' && /^\d+$/.test(input) ? '; leave out the quotes' : '';
  },
};

/** Every fault of a value. `besides` are fields that may stand there too, and are checked elsewhere. */
export function faultsOf(schema: z.ZodType, value: unknown, besides: string[] = []): Fault[] {
  const { error } = schema.safeParse(value, { error: inWords(WORDING, besides), reportInput: true });
  return (error?.issues ?? []).flatMap(unfold);
}

/** Of several shapes only what is wrong with the one that was meant. */
function unfold(issue: z.core.$ZodIssue): Fault[] {
  return issue.code === 'invalid_union' ? unfoldUnion(issue) : faultsIn(issue);
}

function unfoldUnion({ path, message, errors }: z.core.$ZodIssueInvalidUnion): Fault[] {
  const shapes = errors.map((issues) => issues.flatMap(unfold));
  const whole = shapes.filter(
    (faults) => !faults.some((one) => one.path.length === 1 && one.message.startsWith(MISSING)),
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
