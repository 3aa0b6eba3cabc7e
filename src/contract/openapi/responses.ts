import type { z } from 'zod';
import type { Operation, Reply } from '#contract/operations/operation';
import { OPERATIONS } from '#contract/operations/table';
import { PROBLEMS, Problem, type ProblemCode } from '#contract/problem';
import { type Json, output } from './schemas';

/** What a call may answer: what it is for, and everything that may go wrong with it. */
export function responsesOf(operation: Operation): Json {
  const replies = Object.entries(operation.replies).map(([status, reply]) => {
    const links = reply.isNew ? { links: linksOfNew() } : {};
    return [status, { ...replyOf(reply), ...links }];
  });
  const codes = problemsOf(operation);
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code][0]))];
  const problems = statuses.map((status) => [
    status,
    problemOf(
      status,
      codes.filter((code) => PROBLEMS[code][0] === status),
    ),
  ]);
  return Object.fromEntries([...replies, ...problems]);
}

/** Where one may go on from a conversation that was just made: it has no results yet. */
function linksOfNew(): Json {
  const about = Object.entries<Operation>(OPERATIONS).filter(
    ([, { path }]) => path.includes('{id}') && !path.includes('{handle}'),
  );
  return Object.fromEntries(
    about.map(([operationId, { path }]) => {
      const parameters = { id: '$response.body#/id', ...(path.includes('{qid}') ? { qid: 'latest' } : {}) };
      return [operationId, { operationId, parameters }];
    }),
  );
}

/** What may go wrong with any call, and then with this one. */
function problemsOf(operation: Operation): ProblemCode[] {
  const { allowed, body, query, isIdempotent, isResumable, path } = operation;
  const isHealth = operation.tag === 'Health';
  const common: ProblemCode[] = ['forbidden', 'internal', 'head_too_large'];
  if (allowed !== 'anybody') common.push('unauthenticated');
  if (path.startsWith('/v1')) common.push('rate_limited');
  if (path !== '/healthz' && !path.startsWith('/codec')) common.push('temporal_unavailable');
  if (path.startsWith('/v1/conversations')) common.push('encryption_key_missing');
  if (body) common.push('invalid_json', 'too_large', 'unsupported_media_type');
  if (!isHealth && (body || query || isIdempotent || isResumable || path.includes('{')))
    common.push('invalid_request');
  return [...new Set([...common, ...operation.problems])].sort((a, b) => PROBLEMS[a][0] - PROBLEMS[b][0]);
}

function problemOf(status: number, codes: ProblemCode[]): Json {
  const [first] = codes;
  const title = PROBLEMS[first as ProblemCode][1];
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join(' '),
    headers: headersOf(status === 429 || status === 503 ? ['Retry-After'] : []),
    content: {
      'application/problem+json': {
        schema: output(Problem),
        example: {
          type: `urn:parley:problem:${first}`,
          title,
          status,
          code: first,
          detail: 'What happened, and what to do.',
        },
      },
    },
  };
}

function replyOf({ description, schema, isStream, isText, headers = [], example }: Reply): Json {
  const told = { description, headers: headersOf(headers) };
  if (isText) return { ...told, content: { 'text/plain': { schema: { type: 'string' } } } };
  if (!schema) return told;
  if (isStream) return { ...told, content: streamOf(schema, example) };
  const shown = example === undefined ? {} : { example };
  return { ...told, content: { 'application/json': { schema: output(schema), ...shown } } };
}

/** JSON Schema's word for text that holds something else: here one event after the other. */
function streamOf(event: z.ZodType, example: unknown): Json {
  const schema = { type: 'string', contentMediaType: 'text/event-stream', contentSchema: output(event) };
  return { 'text/event-stream': { schema, example } };
}

function headersOf(names: readonly string[]): Json {
  const all = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
