import type { z } from 'zod';
import type { Scope } from '#contract/permissions';
import type { ProblemCode } from '#contract/problem';

/** Any one of these scopes is enough, and `admin` always is. An empty list allows any key. */
type AllowedScopes = readonly Scope[] | 'anybody';

export interface OperationResponse {
  description: string;
  schema?: z.ZodType;
  /** An event stream; the schema describes its events. */
  isStream?: true;
  /** Plain text instead of JSON. */
  isText?: true;
  /** The response is a new conversation; the document links its id to other operations. */
  createsConversation?: true;
  headers?: readonly string[];
  example?: unknown;
}

export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** In OpenAPI's syntax: `{id}`. */
  path: string;
  summary: string;
  description?: string;
  requiredScopes: AllowedScopes;
  query?: z.ZodObject;
  isIdempotent?: true;
  acceptsChannelHeader?: true;
  isResumable?: true;
  /** A webhook signature may replace the key if the agent sets a secret; the route verifies it. */
  acceptsSignature?: true;
  /** `limit`: the maximum size, if it is not the usual 256 KB. Larger than any valid body, since JSON may escape. */
  body?: { schema: z.ZodType; isOptional?: true; limit?: string; example: unknown };
  responses: Readonly<Record<number, OperationResponse>>;
  /** Besides the problems of every operation. */
  problems?: readonly ProblemCode[];
}

/** A JSON response, with its example and its headers besides the usual ones. */
export function jsonReply(
  description: string,
  schema: z.ZodType,
  example?: unknown,
  headers: readonly string[] = [],
): OperationResponse {
  return { description, schema, example, headers };
}

export function eventStream(event: z.ZodType, example: string): OperationResponse {
  return { description: 'The event stream.', schema: event, isStream: true, example };
}

/** Start a conversation, send messages, cancel. */
export const WRITE_CONVERSATIONS = ['conversations:write'] as const;
export const READ_CONVERSATIONS = ['conversations:read'] as const;
export const ANSWER_QUESTIONS = ['questions:answer'] as const;
/** Callers who may answer must be able to see the questions. */
export const VIEW_QUESTIONS = ['conversations:read', 'questions:answer'] as const;
export const READ_METRICS = ['metrics:read'] as const;
export const DECODE_PAYLOADS = ['codec:decode'] as const;
export const ANY_KEY = [] as const;
export const NO_KEY_NEEDED = 'anybody';

/** Problems of every operation on a conversation, and of those that need a worker. */
export const CONVERSATION_PROBLEMS = ['conversation_not_found'] as const;
export const WORKER_PROBLEMS = ['worker_unavailable'] as const;
