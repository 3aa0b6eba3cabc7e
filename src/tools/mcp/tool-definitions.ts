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

/** As much of the model's window as tools of servers may take, in characters of JSON. */
export const MAX_DEFINITIONS_LENGTH = 200_000;

/** Of a server's tools, those the agent may call, by the names the model knows. */
export function selectUsableMcpTools(
  name: string,
  { tools: wanted }: McpServerConfig,
  tools: ListedMcpTool[],
): Map<string, ListedMcpTool> {
  const named = nameMcpTools(name, tools);
  for (const [known, { name: own, execution }] of named) {
    // A task would have to be waited for by polling, which is not done here.
    if (execution.taskSupport === 'required' || wanted?.includes(own) === false) named.delete(known);
  }
  return named;
}

export type McpServerTools = { server: string } & ({ tools: McpTool[] } | { why: string });

/** One offer of all, within what the model can be told. */
export function buildMcpCatalog(found: McpServerTools[]): McpCatalog {
  const offer: McpCatalog = { tools: [], unreachable: [] };
  let left = MAX_DEFINITIONS_LENGTH;
  for (const one of found) {
    if ('why' in one) {
      offer.unreachable.push(one);
      continue;
    }
    const fitting = one.tools.filter((tool) => {
      const length = JSON.stringify(tool).length;
      if (length > left) return false;
      left -= length;
      return true;
    });
    offer.tools.push(...fitting);
    const over = one.tools.length - fitting.length;
    if (over > 0) offer.unreachable.push({ server: one.server, why: describeOmittedTools(over, one.tools.length) });
  }
  return offer;
}

function describeOmittedTools(over: number, all: number): string {
  return `${over} of its ${all} tools are left out, since all tools together may take ${MAX_DEFINITIONS_LENGTH / 1_000} KB; the agent's file can say which are wanted`;
}

const definitionCache = new WeakMap<ListedMcpTool, McpTool>();

/** Made once for each tool that was listed: schemas are dear to check. */
export function getMcpDefinition(name: string, tool: ListedMcpTool): McpTool {
  const definition = definitionCache.get(tool) ?? defineMcpTool(name, tool);
  definitionCache.set(tool, definition);
  return { ...definition, name };
}

/** A server's tools by the names the model calls them by. The same tools get the same names, in whatever order. */
export function nameMcpTools<T extends { name: string }>(server: string, tools: T[]): Map<string, T> {
  const distinct = tools.filter((tool, index) => tools.findIndex(({ name }) => name === tool.name) === index);
  const plain = distinct.map(({ name }) => defaultMcpToolName(server, name));
  const named = distinct.map((tool, index): [string, T] => {
    const name = plain[index] ?? '';
    const isAlone = plain.indexOf(name) === plain.lastIndexOf(name);
    const isAsWritten = name === `${server}${MCP_NAME_SEPARATOR}${tool.name}`;
    const fits = name.length <= MAX_TOOL_NAME_LENGTH && (isAlone || isAsWritten);
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

/** A server's tool as the model is told of it, in what the Messages API takes. */
export function defineMcpTool(name: string, tool: ListedMcpTool): McpTool {
  const { schema, isWhole } = toAcceptedSchema(tool.inputSchema);
  const said = truncateText(tool.description || tool.title || `The tool ${tool.name}.`, MAX_DESCRIPTION_LENGTH);
  const rest = isWhole ? '' : `\n\nIts input has to match this JSON Schema: ${formatSchema(tool.inputSchema)}`;
  const { readOnlyHint, idempotentHint } = tool.annotations;
  return {
    name,
    own: tool.name,
    description: toWellFormed(said + rest),
    inputSchema: schema,
    once: !(readOnlyHint === true || idempotentHint === true),
  };
}

type McpInputSchema = McpTool['inputSchema'];
type ServerInputSchema = McpInputSchema & { properties?: object; required?: string[] };

/** What the API would refuse is left out of the schema, since it would refuse the whole request with it. */
function toAcceptedSchema(given: ListedMcpTool['inputSchema']): { schema: McpInputSchema; isWhole: boolean } {
  const { $schema, ...schema }: ServerInputSchema = { ...given, type: 'object' };
  if (isTooDeeplyNested(schema) || !isValidSchema(schema)) return { schema: { type: 'object' }, isWhole: false };
  const { oneOf, anyOf, allOf, ...plain } = schema;
  const oddKeys = Object.keys(schema.properties ?? {}).filter((key) => !PROPERTY_KEY.test(key));
  if (!oneOf && !anyOf && !allOf && oddKeys.length === 0) return { schema, isWhole: true };
  return { schema: omitProperties(oddKeys, plain), isWhole: false };
}

const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

function omitProperties(keys: string[], { additionalProperties, ...schema }: ServerInputSchema): McpInputSchema {
  const { properties = {}, required = [], ...rest } = schema;
  const isKept = (key: string) => !keys.includes(key);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isKept(key))),
    required: required.filter(isKept),
  };
}

/** Formats are dropped first: one that is not known would be warned of on the terminal, and is no fault. */
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
