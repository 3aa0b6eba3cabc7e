import { z } from 'zod';
import { MAX_NAMED_ISSUES } from './error-messages';
import { Question } from './question';

/** An RFC 9457 problem. `code` is stable; `errors` lists all errors at once. */
export const Problem = z.object({
  type: z.string().describe('A link to the page that explains the code, relative to the server.'),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  errors: z
    .array(z.strictObject({ path: z.string(), message: z.string(), allowed: z.array(z.string()).optional() }))
    .max(MAX_NAMED_ISSUES)
    .optional(),
  moreErrors: z.int().optional().describe('How many more errors there are.'),
  question: Question.optional().describe('On a 409 to an answer: the question with its final outcome.'),
});
export type Problem = z.infer<typeof Problem>;

/** All error codes, each with its fixed status and title. */
export const PROBLEMS = {
  invalid_request: [400, 'Invalid request'],
  invalid_json: [400, 'Invalid JSON'],
  invalid_answer: [400, 'Invalid answer'],
  unknown_agent: [400, 'Unknown agent'],
  unauthenticated: [401, 'Valid API key required'],
  forbidden: [403, 'Permission denied'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  conversation_not_found: [404, 'Conversation not found'],
  agent_not_found: [404, 'Agent not found'],
  question_not_found: [404, 'Question not found'],
  result_not_found: [404, 'Result not found'],
  idempotency_conflict: [409, 'Idempotency key reused with a different body'],
  question_answered: [409, 'Question already answered'],
  question_declined: [409, 'Question declined'],
  question_timed_out: [409, 'Question timed out'],
  question_cancelled: [409, 'Question cancelled'],
  link_revoked: [409, 'Answer links revoked'],
  conversation_finished: [409, 'Conversation finished'],
  too_large: [413, 'Request too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  rate_limited: [429, 'Too many requests'],
  head_too_large: [431, 'Request headers too large'],
  internal: [500, 'Internal error'],
  temporal_unavailable: [503, "Can't reach Temporal"],
  encryption_key_missing: [503, 'Encryption key missing'],
  outcome_unknown: [503, 'Outcome unknown'],
  worker_unavailable: [503, 'No worker responded'],
  storage_unavailable: [503, "Can't read from storage"],
  stopping: [503, 'Parley is shutting down'],
  mail_unavailable: [503, "Can't reach the mail server"],
} as const satisfies Record<string, readonly [number, string]>;
export type ProblemCode = keyof typeof PROBLEMS;

/** The `type` of a problem. A path, so that it is right whatever address the server is reached by. */
export const problemType = (code: ProblemCode): string => `/docs/errors#${code}`;
