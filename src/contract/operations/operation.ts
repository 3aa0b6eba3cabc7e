import type { z } from 'zod';
import type { Scope } from '#contract/access';
import type { ProblemCode } from '#contract/problem';

/** A key with any one of these scopes may; `admin` always may. An empty list: any key. */
type Allowed = readonly Scope[] | 'anybody';

export interface Reply {
  description: string;
  schema?: z.ZodType;
  /** An event stream, whose events the schema describes. */
  isStream?: true;
  /** Plain text, and no JSON. */
  isText?: true;
  /** A conversation that is new: its id leads on to other operations. */
  isNew?: true;
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
  allowed: Allowed;
  query?: z.ZodObject;
  /** Takes an `Idempotency-Key`. */
  isIdempotent?: true;
  /** Takes an `X-Parley-Channel`. */
  takesChannel?: true;
  /** Takes a `Last-Event-ID`. */
  isResumable?: true;
  /** A signature does instead of a key, where the agent asks for one: the route itself looks. */
  orSigned?: true;
  /** `limit`: where more is taken than the usual 1 MB. */
  body?: { schema: z.ZodType; isOptional?: true; limit?: string; example: unknown };
  replies: Readonly<Record<number, Reply>>;
  /** Beyond those that every operation has. */
  problems: readonly ProblemCode[];
}
