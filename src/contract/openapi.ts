import { z } from 'zod';
import { Session } from './access';
import { AgentView } from './agent';
import { Conversation, ConversationStatus, Todo, Usage } from './conversation';
import * as entries from './entry';
import { ConversationEvent, InboxEvent, InboxSnapshot } from './event';
import { Export } from './export';
import type { Operation, Reply } from './operations';
import * as operations from './operations';
import { PROBLEMS, Problem, type ProblemCode } from './problem';
import * as questions from './question';
import { LastEventId } from './requests';

type Json = Record<string, unknown>;

/** What is referred to by name. */
const RESPONSES = {
  Conversation,
  ConversationStatus,
  Todo,
  Usage,
  Question: questions.Question,
  QuestionStatus: questions.QuestionStatus,
  Field: questions.Field,
  Value: questions.Value,
  Outcome: questions.Outcome,
  Entry: entries.Entry,
  MessageEntry: entries.MessageEntry,
  ToolEntry: entries.ToolEntry,
  QuestionEntry: entries.QuestionEntry,
  TodosEntry: entries.TodosEntry,
  NoticeEntry: entries.NoticeEntry,
  StatusEntry: entries.StatusEntry,
  Timeline: entries.Timeline,
  ConversationEvent,
  InboxEvent,
  InboxSnapshot,
  ConversationPage: operations.ConversationPage,
  QuestionPage: operations.QuestionPage,
  QuestionList: operations.QuestionList,
  Standing: operations.Standing,
  Started: operations.Started,
  AgentView,
  AgentList: operations.AgentList,
  Export,
  Session,
  Health: operations.Health,
  Problem,
};

const NAMES = new Map<z.ZodType, string>(Object.entries(RESPONSES).map(([name, schema]) => [schema, name]));

/** The OpenAPI 3.1 document of this contract: nothing in it is written twice. */
export function openApi(url: string): Json {
  const paths: Record<string, Json> = {};
  for (const [id, operation] of Object.entries<Operation>(operations.OPERATIONS)) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationOf(id, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: '1',
      summary: 'Agents that ask people, and wait for days if need be',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    tags: TAGS,
    paths,
    components: {
      schemas: components(),
      securitySchemes: SECURITY,
      headers: HEADERS,
    },
  };
}

function operationOf(id: string, operation: Operation): Json {
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

function parametersOf({ path, query, isIdempotent, isResumable }: Operation): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, name]) => name as keyof typeof operations.PATH_PARAMETERS,
  );
  const inPath = names.map((name) => parameter('path', name, operations.PATH_PARAMETERS[name]));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) =>
    parameter('query', name, schema as z.ZodType),
  );
  return [
    ...inPath,
    ...inQuery,
    ...(isIdempotent ? [parameter('header', 'Idempotency-Key', IdempotencyKey)] : []),
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

function responsesOf(operation: Operation): Json {
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

/** Where one may go on from a conversation that was just made. */
function linksOfNew(): Json {
  const about = Object.entries<Operation>(operations.OPERATIONS).filter(([, { path }]) =>
    path.includes('{id}'),
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
  if (path !== '/healthz') common.push('temporal_unavailable');
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

function replyOf({ description, schema, isStream, headers = [], example }: Reply): Json {
  const told = { description, headers: headersOf(headers) };
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

/** A schema of what is sent to Parley. */
function input(schema: z.ZodType): Json {
  return bare(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** A schema of what Parley sends, by name where it has one. */
function output(schema: z.ZodType): Json {
  const name = NAMES.get(schema);
  return name
    ? { $ref: `#/components/schemas/${name}` }
    : bare(z.toJSONSchema(schema, { unrepresentable: 'any' }));
}

function components(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries<z.ZodType>(RESPONSES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** OpenAPI says once which JSON Schema it means. */
function bare(schema: object): Json {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema as Json;
  return rest;
}

const text = { schema: { type: 'string' } };
const HEADERS = {
  'X-Request-Id': { description: 'Names this request in the log.', ...text },
  Location: { description: 'Where the conversation is.', ...text },
  'Retry-After': { description: 'How many seconds to wait before trying again.', ...text },
  'Content-Disposition': { description: 'A file name.', ...text },
  'Set-Cookie': { description: 'HttpOnly, SameSite=Strict. Not sent where no keys are set.', ...text },
};

const SECURITY = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key, as `npm run key` makes it. Its scopes: `conversations:write` (start, say, cancel), `conversations:read` (read ' +
      'and follow), `questions:answer` (see and answer questions), `admin` (everything). Where no keys are set, none is needed.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_session',
    description: 'What `POST /v1/session` gave for a key.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'Standard Webhooks 1.0, with `webhook-id` and `webhook-timestamp`.',
  },
};

const TAGS = [
  { name: 'Conversations', description: 'Start one, follow it, say more, end it.' },
  { name: 'Questions', description: 'What agents ask, and what people answer.' },
  { name: 'Agents', description: 'What can be started, and starting it from outside.' },
  { name: 'Access', description: 'Who you are.' },
  { name: 'Health', description: 'For whatever watches over it.' },
];

const DESCRIPTION = `An agent asks, lets go of everything, and carries on when the answer comes.

JSON in and out, times in RFC 3339 UTC, unknown fields refused. Errors are RFC 9457 \`application/problem+json\` with a
stable \`code\`. Every response has \`X-Request-Id\`. A conversation belongs to the key that started it; \`visibleTo\` and
\`assignees\` say who else may see it and answer. What you may not see is not found.`;
