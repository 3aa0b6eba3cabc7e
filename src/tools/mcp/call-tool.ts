import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '#contract/agent';
import { isJsonObject } from '#core/json';
import type { McpConnection } from './connection';
import { explainMcpFailure, isMcpUndelivered } from './errors';
import type { ListedMcpTool } from './list-tools';
import { selectUsableMcpTools } from './tool-definitions';

export interface McpToolCall {
  server: { name: string; config: McpServerConfig };
  /** The name that the model uses. */
  tool: string;
  /** The server's own name for the tool when the model was given its definition. */
  serverToolName?: string;
  input: unknown;
  signal: AbortSignal;
}

/** The server never received the call, so it may be sent again on a new connection. */
export class McpUndeliveredError extends Error {}

export async function callMcpTool(connection: McpConnection, call: McpToolCall): Promise<string> {
  const { name, config } = call.server;
  const tools = selectUsableMcpTools(name, config, await connection.tools());
  const tool = tools.get(call.tool);
  if (!tool || (call.serverToolName ?? tool.name) !== tool.name)
    throw new Error(describeUnknownMcpTool(call, [...tools.keys()]));
  return formatMcpResult(await requestResult(connection, tool, call));
}

async function requestResult(connection: McpConnection, tool: ListedMcpTool, call: McpToolCall) {
  const { server, input, signal } = call;
  const { timeout } = server.config;
  if (!isJsonObject(input)) throw new Error(`Not run: the input of ${call.tool} must be an object.`);
  try {
    return await connection.call(tool, input, { timeout, signal });
  } catch (error) {
    const reason = await connection.describeError(error);
    const message = explainMcpFailure(error, { server: server.name, tool: call.tool, timeout, reason });
    throw isMcpUndelivered(error) ? new McpUndeliveredError(message) : new Error(message);
  }
}

const MAX_TOOLS_NAMED = 50;

function describeUnknownMcpTool({ server, tool }: McpToolCall, toolNames: string[]): string {
  const listed = toolNames.slice(0, MAX_TOOLS_NAMED).join(', ');
  const toolList =
    toolNames.length > 0
      ? `Available tools: ${listed}${toolNames.length > MAX_TOOLS_NAMED ? ', …' : ''}.`
      : 'No tools are available.';
  return `Not run: the MCP server "${server.name}" has no tool "${tool}" that you may use. ${toolList}`;
}

/** Converts a result to text. Throws an `Error` with the tool's message if the tool reports failure. */
export function formatMcpResult({ content, structuredContent, isError }: CallToolResult): string {
  const hasText = content.some(({ type }) => type === 'text' || type === 'resource');
  const structured = structuredContent !== undefined && !hasText ? [JSON.stringify(structuredContent)] : [];
  const text = [...content.map(describeBlock), ...structured].join('\n');
  if (isError) throw new Error(text || 'The tool failed without an error message.');
  return text || 'Done. The tool returned no content.';
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}, ${formatSize(block.data)}]`;
    case 'resource_link': {
      const details = [block.mimeType, block.description].filter(Boolean).join(', ');
      return `[link to ${block.title ?? block.name}: ${block.uri}${details && ` (${details})`}]`;
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}: ${resource.mimeType ?? 'unknown type'}, ${formatSize(resource.blob)}]`;
    }
    default:
      return '[content that cannot be shown]';
  }
}

function formatSize(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} KB`;
}
