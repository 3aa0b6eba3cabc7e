import { agentOperations } from '#contract/operations/agents';
import { conversationOperations } from '#contract/operations/conversations';
import type { Operation } from '#contract/operations/operation';
import { questionOperations } from '#contract/operations/questions';
import { codecOperations, healthOperations, sessionOperations } from '#contract/operations/system';
import { renderGuide } from './guide';
import { describeOperation } from './operations';
import { buildSchemaComponents, type OpenApiObject } from './schemas';

/** Builds the OpenAPI 3.1 document from the operations and schemas of this contract. */
export function buildOpenApiDocument(url: string): OpenApiObject {
  const paths: Record<string, OpenApiObject> = {};
  for (const { name, operations } of OPENAPI_TAGS)
    for (const [id, operation] of Object.entries<Operation>(operations))
      paths[operation.path] = {
        ...paths[operation.path],
        [operation.method]: { ...describeOperation(id, operation), tags: [name] },
      };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: '1',
      summary: 'Agents that ask people and wait for the answer',
      description: renderGuide(url),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    tags: OPENAPI_TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: buildSchemaComponents(),
      securitySchemes: SECURITY_SCHEMES,
      headers: RESPONSE_HEADERS,
    },
  };
}

const TEXT_SCHEMA = { schema: { type: 'string' } };
const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'The id of this request in the log.', ...TEXT_SCHEMA },
  Location: { description: 'URL of the conversation.', ...TEXT_SCHEMA },
  'X-Parley-As-Of': {
    description:
      'When this data was current. If no worker is running this is in the past: later input is saved but not processed yet. `unknown` for a list if no worker has run recently.',
    ...TEXT_SCHEMA,
  },
  'Retry-After': { description: 'Seconds to wait before retrying.', ...TEXT_SCHEMA },
  'Content-Disposition': { description: 'The file name.', ...TEXT_SCHEMA },
  'Set-Cookie': { description: 'HttpOnly, SameSite=Strict. Not sent if no API keys are set.', ...TEXT_SCHEMA },
};

const SECURITY_SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, created with `parley admin key`. Scopes: `conversations:write` (start, send messages, cancel), ' +
      '`conversations:read` (read and follow), `questions:answer` (see and answer questions), `admin` (everything). ' +
      'Not required if no keys are set.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_session',
    description: 'Set by `POST /v1/session`. Named `__Host-parley_session` over https.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'Standard Webhooks 1.0, with `webhook-id` and `webhook-timestamp`.',
  },
};

const OPENAPI_TAGS = [
  {
    name: 'Conversations',
    description: 'Start, follow, message and cancel conversations.',
    operations: conversationOperations,
  },
  { name: 'Questions', description: 'List and answer the questions of your agents.', operations: questionOperations },
  { name: 'Agents', description: 'List agents and start them by webhook.', operations: agentOperations },
  { name: 'Access', description: 'Sessions and permissions.', operations: sessionOperations },
  { name: 'Codec', description: "Encode and decode payloads for Temporal's tools.", operations: codecOperations },
  { name: 'Health', description: 'Health checks, metrics and status.', operations: healthOperations },
];
