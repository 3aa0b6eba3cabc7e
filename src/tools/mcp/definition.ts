import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { clip, isTooDeep, wellFormed } from '#core/json';
import type { McpTool } from '#tools/mcp';
import type { Listed } from './listing';

const DESCRIPTION_LENGTH = 4_000;
const SCHEMA_LENGTH = 8_000;

/** A server's tool as the model is told of it, in what the Messages API takes. */
export function defineTool(name: string, tool: Listed): McpTool {
  const { schema, isWhole } = acceptable(tool.inputSchema);
  const said = clip(tool.description || tool.title || `The tool ${tool.name}.`, DESCRIPTION_LENGTH);
  const rest = isWhole ? '' : `\n\nIts input has to match this JSON Schema: ${shown(tool.inputSchema)}`;
  const { readOnlyHint, idempotentHint } = tool.annotations;
  return {
    name,
    own: tool.name,
    description: wellFormed(said + rest),
    inputSchema: schema,
    once: !(readOnlyHint === true || idempotentHint === true),
  };
}

type Schema = McpTool['inputSchema'];
type Given = Schema & { properties?: object; required?: string[] };

/** What the API would refuse is left out of the schema, since it would refuse the whole request with it. */
function acceptable(given: Listed['inputSchema']): { schema: Schema; isWhole: boolean } {
  const { $schema, ...schema }: Given = { ...given, type: 'object' };
  if (isTooDeep(schema) || !isValid(schema)) return { schema: { type: 'object' }, isWhole: false };
  const { oneOf, anyOf, allOf, ...plain } = schema;
  const oddKeys = Object.keys(schema.properties ?? {}).filter((key) => !KEY.test(key));
  if (!oneOf && !anyOf && !allOf && oddKeys.length === 0) return { schema, isWhole: true };
  return { schema: without(oddKeys, plain), isWhole: false };
}

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

function without(keys: string[], { additionalProperties, ...schema }: Given): Schema {
  const { properties = {}, required = [], ...rest } = schema;
  const isKept = (key: string) => !keys.includes(key);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isKept(key))),
    required: required.filter(isKept),
  };
}

/** Formats are dropped first: one that is not known would be warned of on the terminal, and is no fault. */
function isValid(schema: object): boolean {
  const isFormat = (key: string, value: unknown) => key === 'format' && typeof value === 'string';
  const copy = JSON.stringify(schema, (key, value) => (isFormat(key, value) ? undefined : value));
  try {
    new AjvJsonSchemaValidator().getValidator(JSON.parse(copy));
    return true;
  } catch {
    return false;
  }
}

function shown(schema: unknown): string {
  return isTooDeep(schema) ? '(nested too deeply to show)' : clip(JSON.stringify(schema), SCHEMA_LENGTH);
}
