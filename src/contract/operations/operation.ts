import type { z } from 'zod';
import type { Scope } from '#contract/permissions';
import type { ProblemCode } from '#contract/problem';

/** A key with any one of these scopes may; `admin` always may. An empty list: any key. */
type AllowedScopes = readonly Scope[] | 'anybody';

export interface OperationResponse {
  description: string;
  schema?: z.ZodType;
  /** An event stream, whose events the schema describes. */
  isStream?: true;
  /** Plain text, and no JSON. */
  isText?: true;
  /** The response is a new conversation; the document links its id to other operations. */
  createsConversation?: true;
  headers?: readonly string[];
  example?: unknown;
}

export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it: `{id}`. */
  path: string;
  tag: 'Conversations' | 'Questions' | 'Agents' | 'Access' | 'Codec' | 'Health';
  summary: string;
  description?: string;
  requiredScopes: AllowedScopes;
  query?: z.ZodObject;
  /** Takes an `Idempotency-Key`. */
  isIdempotent?: true;
  /** Takes an `X-Parley-Channel`. */
  acceptsChannelHeader?: true;
  /** Takes a `Last-Event-ID`. */
  isResumable?: true;
  /** A webhook signature may replace the key if the agent sets a secret; the route verifies it. */
  acceptsSignature?: true;
  /** `limit`: the maximum size, if it is not the usual 1 MB. */
  body?: { schema: z.ZodType; isOptional?: true; limit?: string; example: unknown };
  responses: Readonly<Record<number, OperationResponse>>;
  /** Beyond those that every operation has. */
  problems: readonly ProblemCode[];
}

/** Start, say, end. */
export const WRITE_CONVERSATIONS = ['conversations:write'] as const;
export const READ_CONVERSATIONS = ['conversations:read'] as const;
export const ANSWER_QUESTIONS = ['questions:answer'] as const;
/** Whoever may answer must be able to see what is asked. */
export const VIEW_QUESTIONS = ['conversations:read', 'questions:answer'] as const;
export const ADMIN_ONLY = ['admin'] as const;
export const ANY_KEY = [] as const;
export const NO_KEY_NEEDED = 'anybody';

/** What may go wrong with every call about one conversation, and with those that need a worker. */
export const CONVERSATION_PROBLEMS = ['conversation_not_found'] as const;
export const WORKER_PROBLEMS = ['worker_unavailable'] as const;
