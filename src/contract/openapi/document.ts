import type { Operation } from '#contract/operations/operation';
import { OPERATIONS } from '#contract/operations/table';
import { operationOf } from './operations';
import { components, type Json } from './schemas';
import { DESCRIPTION, HEADERS, SECURITY, TAGS } from './words';

/** The OpenAPI 3.1 document of this contract: nothing in it is written twice. */
export function openApi(url: string): Json {
  const paths: Record<string, Json> = {};
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
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
