import { z } from 'zod';
import { Question } from './question';

/** An RFC 9457 problem. `code` is stable; `errors` lists all errors at once. */
export const Problem = z.object({
  type: z.string().describe('A link to the page that explains the code, relative to the server.'),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string(),
  errors: z
    .array(z.strictObject({ path: z.string(), message: z.string(), allowed: z.array(z.string()).optional() }))
    .optional(),
  question: Question.optional().describe('On a 409 to an answer: the question with the outcome that stands.'),
});
export type Problem = z.infer<typeof Problem>;

/** All error codes, each with its fixed status and title. */
export const PROBLEMS = {
  invalid_request: [400, 'The request is not valid'],
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_answer: [400, 'The answer is not valid'],
  unknown_agent: [400, 'There is no such agent'],
  unauthenticated: [401, 'A valid key is needed'],
  forbidden: [403, 'That is not allowed'],
  not_found: [404, 'There is nothing here'],
  method_not_allowed: [405, 'That method is not allowed here'],
  conversation_not_found: [404, 'There is no such conversation'],
  agent_not_found: [404, 'There is no such agent'],
  question_not_found: [404, 'There is no such question'],
  result_not_found: [404, 'There is no such result'],
  idempotency_conflict: [409, 'The same key was used with another body'],
  question_answered: [409, 'The question is already answered'],
  question_declined: [409, 'The question was declined'],
  question_timed_out: [409, 'The question timed out'],
  question_cancelled: [409, 'The question was cancelled'],
  link_revoked: [409, 'The links of this person were taken back'],
  conversation_finished: [409, 'The conversation is finished'],
  too_large: [413, 'The request is too large'],
  unsupported_media_type: [415, 'Send JSON'],
  rate_limited: [429, 'Too many requests'],
  head_too_large: [431, 'The head of the request is too large'],
  internal: [500, 'Something went wrong in Parley'],
  temporal_unavailable: [503, 'Temporal cannot be reached'],
  encryption_key_missing: [503, 'An encryption key is missing'],
  worker_unavailable: [503, 'No worker answered'],
  storage_unavailable: [503, 'The storage cannot be read'],
  stopping: [503, 'Parley is stopping'],
  mail_unavailable: [503, 'The mail server cannot be reached'],
} as const satisfies Record<string, readonly [number, string]>;
export type ProblemCode = keyof typeof PROBLEMS;

/** The `type` of a problem. A path, so that it is right whatever address the server is reached by. */
export const problemType = (code: ProblemCode): string => `/docs/errors#${code}`;
