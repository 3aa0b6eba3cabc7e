import { z } from 'zod';
import { AgentView } from '#contract/agent';
import * as conversation from '#contract/conversation';
import * as events from '#contract/events';
import { Session } from '#contract/permissions';
import { Problem } from '#contract/problem';
import * as questions from '#contract/question';
import * as responses from '#contract/responses';
import * as timeline from '#contract/timeline';

export type OpenApiObject = Record<string, unknown>;

/** Requests describe their fields in place. */
const ONLY_IN_REQUESTS = ['ConversationId', 'JsonObject'];

/** What responses contain. The document refers to each by its name here. */
const NAMED_SCHEMAS = Object.entries<unknown>({
  ...conversation,
  ...events,
  ...questions,
  ...responses,
  ...timeline,
  ...{ AgentView, Problem, Session },
}).flatMap(([name, schema]) =>
  schema instanceof z.ZodType && !ONLY_IN_REQUESTS.includes(name) ? [[name, schema] as const] : [],
);

const SCHEMA_NAMES = new Map<z.ZodType, string>(NAMED_SCHEMAS.map(([name, schema]) => [schema, name]));

export function toInputSchema(schema: z.ZodType): OpenApiObject {
  return stripDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** Converts a response schema; a reference if the schema has a name. */
export function toOutputSchema(schema: z.ZodType): OpenApiObject {
  const name = SCHEMA_NAMES.get(schema);
  return name
    ? { $ref: `#/components/schemas/${name}` }
    : stripDialect(z.toJSONSchema(schema, { unrepresentable: 'any' }));
}

export function buildSchemaComponents(): OpenApiObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of NAMED_SCHEMAS) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, stripDialect(schema)]));
}

/** Removes the dialect, which OpenAPI states once for the whole document. */
function stripDialect(schema: object): OpenApiObject {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema as OpenApiObject;
  return rest;
}
