import { createHash } from 'node:crypto';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import type { McpServerConfig } from '#contract/agent';
import { isTooDeeplyNested, toWellFormed, truncateText } from '#core/json';
import {
  defaultMcpToolName,
  MAX_TOOL_NAME_LENGTH,
  MCP_NAME_SEPARATOR,
  TOOL_NAME_HASH_LENGTH,
  TOOL_NAME_STEM_LENGTH,
} from '#core/tools/grants';
import type { McpCatalog, McpTool } from './catalog';
import type { ListedMcpTool } from './list-tools';

/** Limit for the definitions of MCP tools in the model's context, in characters of JSON. */
export const MAX_DEFINITIONS_LENGTH = 200_000;

/** Returns the server's tools that the agent may call, by the names that the model knows. */
export function selectUsableMcpTools(
  server: string,
  { tools: allowedTools }: McpServerConfig,
  tools: ListedMcpTool[],
): Map<string, ListedMcpTool> {
  const named = nameMcpTools(server, tools);
  for (const [toolName, { name: serverToolName, execution }] of named) {
    // Such tools return a task to poll, which is not supported.
    if (execution.taskSupport === 'required' || allowedTools?.includes(serverToolName) === false)
      named.delete(toolName);
  }
  return named;
}

export type McpServerTools = { server: string } & ({ tools: McpTool[] } | { reason: string });

/** Merges the tools of all servers, up to the length limit. */
export function buildMcpCatalog(servers: McpServerTools[]): McpCatalog {
  const catalog: McpCatalog = { tools: [], unreachable: [] };
  let remainingLength = MAX_DEFINITIONS_LENGTH;
  for (const entry of servers) {
    if ('reason' in entry) {
      catalog.unreachable.push(entry);
      continue;
    }
    const fitting = entry.tools.filter((tool) => {
      const length = JSON.stringify(tool).length;
      if (length > remainingLength) return false;
      remainingLength -= length;
      return true;
    });
    catalog.tools.push(...fitting);
    const omittedCount = entry.tools.length - fitting.length;
    const reason = `${omittedCount} of its ${entry.tools.length} tools are omitted, because all tools together are limited to ${MAX_DEFINITIONS_LENGTH / 1_000} KB; select the tools you need in the agent file`;
    if (omittedCount > 0) catalog.unreachable.push({ server: entry.server, reason });
  }
  return catalog;
}

const definitionCache = new WeakMap<ListedMcpTool, McpTool>();

/** Caches the definition of each listed tool, as checking schemas is expensive. */
export function getMcpDefinition(name: string, tool: ListedMcpTool): McpTool {
  const definition = definitionCache.get(tool) ?? defineMcpTool(name, tool);
  definitionCache.set(tool, definition);
  return { ...definition, name };
}

/** Maps names for the model to a server's tools. The same tools get the same names, in any order. */
export function nameMcpTools<T extends { name: string }>(server: string, tools: T[]): Map<string, T> {
  const distinct = tools.filter((tool, index) => tools.findIndex(({ name }) => name === tool.name) === index);
  const defaultNames = distinct.map(({ name }) => defaultMcpToolName(server, name));
  const named = distinct.map((tool, index): [string, T] => {
    const name = defaultNames[index] ?? '';
    const isUnique = defaultNames.indexOf(name) === defaultNames.lastIndexOf(name);
    const isUnchanged = name === `${server}${MCP_NAME_SEPARATOR}${tool.name}`;
    const fits = name.length <= MAX_TOOL_NAME_LENGTH && (isUnique || isUnchanged);
    return [fits ? name : appendHash(name, tool.name), tool];
  });
  return new Map(named);
}

function appendHash(name: string, tool: string): string {
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, TOOL_NAME_HASH_LENGTH);
  return `${name.slice(0, TOOL_NAME_STEM_LENGTH)}_${hash}`;
}

const MAX_DESCRIPTION_LENGTH = 4_000;
const MAX_SCHEMA_LENGTH = 8_000;

/** Converts a server's tool to a definition that the Messages API accepts. */
export function defineMcpTool(name: string, tool: ListedMcpTool): McpTool {
  const { schema, isComplete } = toAcceptedSchema(tool.inputSchema);
  const description = truncateText(tool.description || tool.title || `The tool ${tool.name}.`, MAX_DESCRIPTION_LENGTH);
  const schemaNote = isComplete ? '' : `\n\nThe input must match this JSON Schema: ${formatSchema(tool.inputSchema)}`;
  const { readOnlyHint, idempotentHint, destructiveHint } = tool.annotations;
  return {
    name,
    serverToolName: tool.name,
    description: toWellFormed(description + schemaNote),
    inputSchema: schema,
    runOnce: !(readOnlyHint === true || idempotentHint === true),
    // In MCP, a tool is destructive unless it says otherwise.
    destructive: !(readOnlyHint === true || destructiveHint === false),
  };
}

type McpInputSchema = McpTool['inputSchema'];
type ServerInputSchema = McpInputSchema & { properties?: object; required?: string[] };

/** Removes what the API does not accept in a schema, since it would reject the whole request. */
function toAcceptedSchema(inputSchema: ListedMcpTool['inputSchema']): { schema: McpInputSchema; isComplete: boolean } {
  const { $schema, ...schema }: ServerInputSchema = { ...inputSchema, type: 'object' };
  if (isTooDeeplyNested(schema) || !isValidSchema(schema)) return { schema: { type: 'object' }, isComplete: false };
  const { oneOf, anyOf, allOf, ...withoutUnions } = schema;
  const unsupportedKeys = Object.keys(schema.properties ?? {}).filter((key) => !PROPERTY_KEY.test(key));
  if (!oneOf && !anyOf && !allOf && unsupportedKeys.length === 0) return { schema, isComplete: true };
  return { schema: omitProperties(unsupportedKeys, withoutUnions), isComplete: false };
}

const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

function omitProperties(keys: string[], { additionalProperties, ...schema }: ServerInputSchema): McpInputSchema {
  const { properties = {}, required = [], ...rest } = schema;
  const isSupported = (key: string) => !keys.includes(key);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isSupported(key))),
    required: required.filter(isSupported),
  };
}

/** Validates a schema without its formats: unknown formats are not errors, but would print warnings. */
function isValidSchema(schema: object): boolean {
  const isFormat = (key: string, value: unknown) => key === 'format' && typeof value === 'string';
  const copy = JSON.stringify(schema, (key, value) => (isFormat(key, value) ? undefined : value));
  try {
    new AjvJsonSchemaValidator().getValidator(JSON.parse(copy));
    return true;
  } catch {
    return false;
  }
}

function formatSchema(schema: unknown): string {
  return isTooDeeplyNested(schema)
    ? '(nested too deeply to show)'
    : truncateText(JSON.stringify(schema), MAX_SCHEMA_LENGTH);
}
