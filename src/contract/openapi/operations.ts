import { z } from 'zod';
import type { Operation } from '#contract/operations/operation';
import { PATH_PARAMETERS } from '#contract/operations/table';
import { Channel, LastEventId } from '#contract/requests';
import { responsesOf } from './responses';
import { input, type Json } from './schemas';

/** One call, as OpenAPI describes it. */
export function operationOf(id: string, operation: Operation): Json {
  const { tag, summary, description, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...(body
      ? {
          requestBody: {
            required: !body.isOptional,
            content: { 'application/json': { schema: input(body.schema), example: body.example } },
          },
        }
      : {}),
    responses: responsesOf(operation),
  };
}

function securityOf({ allowed, orSigned }: Operation): Json[] {
  if (allowed === 'anybody') return [];
  return [{ key: [] }, { session: [] }, ...(orSigned ? [{ signature: [] }] : [])];
}

function parametersOf({ path, query, isIdempotent, takesChannel, isResumable }: Operation): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof PATH_PARAMETERS);
  const inPath = names.map((name) => parameter('path', name, PATH_PARAMETERS[name]));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) =>
    parameter('query', name, schema as z.ZodType),
  );
  return [
    ...inPath,
    ...inQuery,
    ...(isIdempotent ? [parameter('header', 'Idempotency-Key', IdempotencyKey)] : []),
    ...(takesChannel ? [parameter('header', 'X-Parley-Channel', Channel.optional())] : []),
    ...(isResumable ? [parameter('header', 'Last-Event-ID', LastEventId.optional().describe(RESUME))] : []),
  ];
}

const RESUME =
  'The id of the last event that was received: what follows it is sent, nothing missed and nothing twice.';
const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .optional()
  .describe('Makes it safe to send the request again: the same key and body have one effect.');

function parameter(where: 'path' | 'query' | 'header', name: string, schema: z.ZodType): Json {
  const { description, ...rest } = input(schema);
  return {
    name,
    in: where,
    required: where === 'path',
    ...(description ? { description } : {}),
    schema: rest,
  };
}
