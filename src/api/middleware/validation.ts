import type { Request } from 'express';
import type { z } from 'zod';
import {
  MAX_NAMED_ISSUES,
  readableParseOptions,
  type SchemaIssue,
  summarizeIssues,
  toSchemaIssues,
} from '#contract/error-messages';
import type { ValidationIssue } from '#contract/question';
import { MAX_MESSAGE_BYTES } from '#core/conversation/messages';
import { isTooDeeplyNested, MAX_JSON_DEPTH } from '#core/json';
import { ApiError } from './errors';

/** Finds issues that the contract cannot know of in what was sent, whatever its form. */
export type IssueFinder = (value: Record<string, unknown>) => SchemaIssue[];

/** Validates input against the contract and reports every issue at once. */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, findMoreIssues?: IssueFinder): T {
  const parsed = schema.safeParse(value, readableParseOptions);
  const moreIssues = findMoreIssues?.(Object(value)) ?? [];
  if (parsed.success && moreIssues.length === 0) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  const named = [
    ...issues.slice(0, MAX_NAMED_ISSUES).flatMap(toValidationIssues),
    ...moreIssues.map(({ path, message }) => ({ path: path.join('.'), message })),
  ];
  const count = issues.reduce((sum, issue) => sum + countFaults(issue), moreIssues.length);
  const { summary, ...extensions } = summarizeIssues(named, count);
  throw new ApiError('invalid_request', `Invalid request. ${summary}`, extensions);
}

/** zod reports the unknown fields of an object as one issue. */
function countFaults(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

/** Validates the JSON body. A missing body counts as an empty object, as all fields may be optional. */
export function parseBody<T>(
  schema: z.ZodType<T>,
  { body, headers }: Pick<Request, 'body' | 'headers'>,
  findMoreIssues?: IssueFinder,
): T {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (body === undefined && hasBody)
    throw new ApiError('unsupported_media_type', 'Use Content-Type: application/json.');
  if (isTooDeeplyNested(body))
    throw new ApiError('invalid_request', `The body exceeds ${MAX_JSON_DEPTH} levels of nesting.`);
  return parseInput(schema, body ?? {}, findMoreIssues);
}

function toValidationIssues(issue: z.core.$ZodIssue): ValidationIssue[] {
  const allowed = issue.code === 'invalid_value' ? { allowed: issue.values.map(String) } : {};
  return toSchemaIssues(issue).map(({ path, message }) => ({ path: path.join('.'), message, ...allowed }));
}

/** Limits the size of a message in UTF-8. */
export function assertMessageSize(path: string, text: string): void {
  if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return;
  throw new ApiError('too_large', 'The message exceeds 100 KB.', {
    errors: [{ path, message: 'must be at most 100 KB' }],
  });
}
