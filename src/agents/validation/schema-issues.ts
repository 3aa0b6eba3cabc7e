import type { z } from 'zod';
import {
  createIssueFormatter,
  type IssueWording,
  MISSING_VALUE,
  type SchemaIssue,
  toSchemaIssues,
} from '#contract/error-messages';

/** For those who write YAML. */
const YAML_WORDING: IssueWording = {
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
export function findYamlIssues(schema: z.ZodType, value: unknown, besides: string[] = []): SchemaIssue[] {
  const { error } = schema.safeParse(value, {
    error: createIssueFormatter(YAML_WORDING, besides),
    reportInput: true,
  });
  return (error?.issues ?? []).flatMap(expandIssue);
}

/** Of several shapes only what is wrong with the one that was meant. */
function expandIssue(issue: z.core.$ZodIssue): SchemaIssue[] {
  return issue.code === 'invalid_union' ? expandUnionIssue(issue) : toSchemaIssues(issue);
}

function expandUnionIssue({ path, message, errors }: z.core.$ZodIssueInvalidUnion): SchemaIssue[] {
  const shapes = errors.map((issues) => issues.flatMap(expandIssue));
  const whole = shapes.filter(
    (faults) => !faults.some((one) => one.path.length === 1 && one.message.startsWith(MISSING_VALUE)),
  );
  const meant = whole.length === 1 ? whole[0] : undefined;
  const faults = meant ?? [{ path: [], message }, ...findCommonIssues(shapes)];
  return faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
}

/** What is wrong whichever shape was meant. */
function findCommonIssues([first = [], ...others]: SchemaIssue[][]): SchemaIssue[] {
  const same = (a: SchemaIssue, b: SchemaIssue) => a.message === b.message && a.path.join() === b.path.join();
  return first.filter((one) => one.path.length > 0 && others.every((list) => list.some((o) => same(o, one))));
}
