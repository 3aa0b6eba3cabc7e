import type { z } from 'zod';
import {
  createIssueFormatter,
  type IssueWording,
  MISSING_VALUE,
  type SchemaIssue,
  toSchemaIssues,
} from '#contract/error-messages';

/** Wording of errors for people who write YAML. */
const YAML_WORDING: IssueWording = {
  typeNames: {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a group of fields',
    record: 'a group of fields',
  },
  formatNumber: (number) => number.toLocaleString('en'),
  describeNull: (expected) => `has no value; must be ${expected}`,
  hint(expected, input) {
    if (expected === 'string') return typeof input === 'string' ? '' : '; put it in quotes';
    if (typeof input !== 'string') return '';
    if (expected === 'array') return /^[\w@.*-]+$/.test(input) ? `; write [${input}]` : '';
    if (expected === 'boolean') return '; write true or false, without quotes';
    return expected === 'number' && /^\d+$/.test(input) ? '; remove the quotes' : '';
  },
};

/** Lists every issue of a value. `otherFields` are allowed too, and validated elsewhere. */
export function findYamlIssues(schema: z.ZodType, value: unknown, otherFields: string[] = []): SchemaIssue[] {
  const { error } = schema.safeParse(value, {
    error: createIssueFormatter(YAML_WORDING, otherFields),
    reportInput: true,
  });
  return (error?.issues ?? []).flatMap(expandIssue);
}

/** For a union, reports only the issues of the intended alternative. */
function expandIssue(issue: z.core.$ZodIssue): SchemaIssue[] {
  return issue.code === 'invalid_union' ? expandUnionIssue(issue) : toSchemaIssues(issue);
}

function expandUnionIssue({ path, message, errors }: z.core.$ZodIssueInvalidUnion): SchemaIssue[] {
  const issuesByShape = errors.map((issues) => issues.flatMap(expandIssue));
  const completeShapes = issuesByShape.filter(
    (issues) => !issues.some((issue) => issue.path.length === 1 && issue.message.startsWith(MISSING_VALUE)),
  );
  const intendedShape = completeShapes.length === 1 ? completeShapes[0] : undefined;
  const issues = intendedShape ?? [{ path: [], message }, ...findCommonIssues(issuesByShape)];
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

function findCommonIssues([first = [], ...others]: SchemaIssue[][]): SchemaIssue[] {
  const isSameIssue = (a: SchemaIssue, b: SchemaIssue) => a.message === b.message && a.path.join() === b.path.join();
  return first.filter(
    (issue) => issue.path.length > 0 && others.every((list) => list.some((other) => isSameIssue(other, issue))),
  );
}
