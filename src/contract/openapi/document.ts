import type { Operation } from '#contract/operations/operation';
import { OPERATIONS } from '#contract/operations/table';
import { renderGuide } from './guide';
import { describeOperation } from './operations';
import { buildSchemaComponents, type OpenApiObject } from './schemas';

/** Builds the OpenAPI 3.1 document from the operations and schemas of this contract. */
export function buildOpenApiDocument(url: string): OpenApiObject {
  const paths: Record<string, OpenApiObject> = {};
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: describeOperation(id, operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: '1',
      summary: 'Agents that ask people, and wait for days if need be',
      description: renderGuide(url),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    tags: OPENAPI_TAGS,
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
  'X-Request-Id': { description: 'Names this request in the log.', ...TEXT_SCHEMA },
  Location: { description: 'Where the conversation is.', ...TEXT_SCHEMA },
  'X-Parley-As-Of': {
    description:
      'As of when this holds. Earlier than the reply where no worker is running: what came since is kept, and not acted on yet. `unknown` for a list where no worker was there for long.',
    ...TEXT_SCHEMA,
  },
  'Retry-After': { description: 'How many seconds to wait before trying again.', ...TEXT_SCHEMA },
  'Content-Disposition': { description: 'A file name.', ...TEXT_SCHEMA },
  'Set-Cookie': { description: 'HttpOnly, SameSite=Strict. Not sent where no keys are set.', ...TEXT_SCHEMA },
};

const SECURITY_SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key, as `parley admin key` makes it. Its scopes: `conversations:write` (start, say, cancel), `conversations:read` (read ' +
      'and follow), `questions:answer` (see and answer questions), `admin` (everything). Where no keys are set, none is needed.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_session',
    description:
      'What `POST /v1/session` gave for a key. Where Parley is reached by https it is called `__Host-parley_session`.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'Standard Webhooks 1.0, with `webhook-id` and `webhook-timestamp`.',
  },
};

const OPENAPI_TAGS = [
  { name: 'Conversations', description: 'Start one, follow it, say more, end it.' },
  { name: 'Questions', description: 'What agents ask, and what people answer.' },
  { name: 'Agents', description: 'What can be started, and starting it from outside.' },
  { name: 'Access', description: 'Who you are.' },
  { name: 'Codec', description: "For Temporal's own tools: what is compressed or encrypted, in clear." },
  { name: 'Health', description: 'For whatever watches over it.' },
];
