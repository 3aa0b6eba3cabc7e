import { z } from 'zod';
import type { Operation, OperationResponse } from '#contract/operations/operation';
import { OPERATIONS, PATH_PARAMETERS } from '#contract/operations/table';
import { PROBLEMS, Problem, type ProblemCode, problemType } from '#contract/problem';
import { ClientChannel, LastEventId } from '#contract/requests';
import { type OpenApiObject, toInputSchema, toOutputSchema } from './schemas';

export function describeOperation(id: string, operation: Operation): OpenApiObject {
  const { summary, description, body } = operation;
  return {
    operationId: id,
    summary,
    description: [description, describeAccess(operation)].filter(Boolean).join('\n\n'),
    security: describeSecurity(operation),
    parameters: describeParameters(operation),
    ...(body && {
      requestBody: {
        required: !body.isOptional,
        content: { 'application/json': { schema: toInputSchema(body.schema), example: body.example } },
      },
    }),
    responses: describeResponses(operation),
  };
}

/** In words, since OpenAPI can only require all scopes of a list, and here any one is enough. */
function describeAccess({ requiredScopes, acceptsSignature }: Operation): string {
  if (requiredScopes === 'anybody') return 'No API key required.';
  const scopes = requiredScopes.map((scope) => `\`${scope}\``).join(' or ');
  const key = scopes ? `Requires an API key with the scope ${scopes}` : 'Requires any API key';
  return `${key}${acceptsSignature ? ', or a signature if the agent sets a secret' : ''}.`;
}

function describeSecurity({ requiredScopes, acceptsSignature }: Operation): OpenApiObject[] {
  if (requiredScopes === 'anybody') return [];
  return [{ key: [] }, { session: [] }, ...(acceptsSignature ? [{ signature: [] }] : [])];
}

function describeParameters({
  path,
  query,
  isIdempotent,
  acceptsChannelHeader,
  isResumable,
}: Operation): OpenApiObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof PATH_PARAMETERS);
  const inPath = names.map((name) => describeParameter('path', name, PATH_PARAMETERS[name]));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) =>
    describeParameter('query', name, schema as z.ZodType),
  );
  return [
    ...inPath,
    ...inQuery,
    ...(isIdempotent ? [describeParameter('header', 'Idempotency-Key', IdempotencyKey)] : []),
    ...(acceptsChannelHeader ? [describeParameter('header', 'X-Parley-Channel', ClientChannel.optional())] : []),
    ...(isResumable
      ? [describeParameter('header', 'Last-Event-ID', LastEventId.optional().describe(RESUME_DESCRIPTION))]
      : []),
  ];
}

const RESUME_DESCRIPTION = 'Resumes after the event with this id. No event is missed or repeated.';
const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .optional()
  .describe('Makes retries safe: a request with the same key and body takes effect once.');

function describeParameter(location: 'path' | 'query' | 'header', name: string, schema: z.ZodType): OpenApiObject {
  const { description, ...rest } = toInputSchema(schema);
  return {
    name,
    in: location,
    required: location === 'path',
    ...(description ? { description } : {}),
    schema: rest,
  };
}

function describeResponses(operation: Operation): OpenApiObject {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const links = response.createsConversation ? { links: linksFromNewConversation() } : {};
    return [status, { ...describeResponse(response), ...links }];
  });
  const codes = listProblemCodes(operation);
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code][0]))];
  const problems = statuses.map((status) => [
    status,
    describeProblem(
      status,
      codes.filter((code) => PROBLEMS[code][0] === status),
    ),
  ]);
  return Object.fromEntries([...responses, ...problems]);
}

/** Links a new conversation to the operations that take its id. It has no stored results yet. */
function linksFromNewConversation(): OpenApiObject {
  const followUps = Object.entries<Operation>(OPERATIONS).filter(
    ([, { path }]) => path.includes('{id}') && !path.includes('{handle}'),
  );
  return Object.fromEntries(
    followUps.map(([operationId, { path }]) => {
      const parameters = { id: '$response.body#/id', ...(path.includes('{qid}') ? { qid: 'latest' } : {}) };
      return [operationId, { operationId, parameters }];
    }),
  );
}

/** Lists the problems of every operation and of this one. */
function listProblemCodes(operation: Operation): ProblemCode[] {
  const { method, requiredScopes, body, query, isIdempotent, isResumable, path } = operation;
  const common: ProblemCode[] = ['forbidden', 'internal', 'head_too_large'];
  if (requiredScopes !== 'anybody') common.push('unauthenticated');
  if (path.startsWith('/v1')) common.push('rate_limited');
  if (method !== 'get' && path.startsWith('/v1/') && path !== '/v1/session') common.push('outcome_unknown');
  if (path !== '/healthz' && !path.startsWith('/codec')) common.push('temporal_unavailable');
  if (path.startsWith('/v1/conversations')) common.push('encryption_key_missing');
  if (body) common.push('invalid_json', 'too_large', 'unsupported_media_type');
  if (body || query || isIdempotent || isResumable || path.includes('{')) common.push('invalid_request');
  return [...new Set([...common, ...(operation.problems ?? [])])].sort((a, b) => PROBLEMS[a][0] - PROBLEMS[b][0]);
}

function describeProblem(status: number, codes: ProblemCode[]): OpenApiObject {
  const [first] = codes;
  const title = PROBLEMS[first as ProblemCode][1];
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join(' '),
    headers: referenceHeaders(status === 429 || status === 503 ? ['Retry-After'] : []),
    content: {
      'application/problem+json': {
        schema: toOutputSchema(Problem),
        example: {
          type: problemType(first as ProblemCode),
          title,
          status,
          code: first,
          detail: 'What happened and what to do next.',
        },
      },
    },
  };
}

function describeResponse({
  description,
  schema,
  isStream,
  isText,
  headers = [],
  example,
}: OperationResponse): OpenApiObject {
  const common = { description, headers: referenceHeaders(headers) };
  if (isText) return { ...common, content: { 'text/plain': { schema: { type: 'string' } } } };
  if (!schema) return common;
  if (isStream) return { ...common, content: describeStream(schema, example) };
  const exampleField = example === undefined ? {} : { example };
  return { ...common, content: { 'application/json': { schema: toOutputSchema(schema), ...exampleField } } };
}

/** Describes a stream as text whose content is a sequence of events, by JSON Schema's `contentSchema`. */
function describeStream(event: z.ZodType, example: unknown): OpenApiObject {
  const schema = {
    type: 'string',
    contentMediaType: 'text/event-stream',
    contentSchema: toOutputSchema(event),
  };
  return { 'text/event-stream': { schema, example } };
}

function referenceHeaders(names: readonly string[]): OpenApiObject {
  const headerNames = ['X-Request-Id', ...names];
  return Object.fromEntries(headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
