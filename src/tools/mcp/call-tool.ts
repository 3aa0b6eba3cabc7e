import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '#contract/agent';
import type { McpConnection } from './connection';
import { explainMcpFailure, isMcpUndelivered } from './errors';
import type { ListedMcpTool } from './list-tools';
import { selectUsableMcpTools } from './tool-definitions';

export interface McpToolCall {
  server: { name: string; config: McpServerConfig };
  /** By the name the model knows. */
  tool: string;
  /** What the server called it when the model was told of it. */
  own?: string;
  input: unknown;
  signal: AbortSignal;
  resultLength?: number;
}

/** The server never had the call: it may be sent again on a new connection. */
export class McpUndeliveredError extends Error {}

export async function callMcpTool(connection: McpConnection, call: McpToolCall): Promise<string> {
  const { name, config } = call.server;
  const tools = selectUsableMcpTools(name, config, await connection.tools());
  const tool = tools.get(call.tool);
  if (!tool || (call.own ?? tool.name) !== tool.name) throw new Error(describeUnknownMcpTool(call, [...tools.keys()]));
  return formatMcpResult(await requestResult(connection, tool, call), call.resultLength);
}

async function requestResult(
  connection: McpConnection,
  tool: ListedMcpTool,
  call: McpToolCall,
): Promise<CallToolResult> {
  const { server, input, signal } = call;
  const { timeout } = server.config;
  if (!isRecord(input)) throw new Error(`Not run: the input of ${call.tool} has to be an object.`);
  try {
    return await connection.call(tool, input, { timeout, signal });
  } catch (error) {
    const reason = await connection.reason(error);
    const sentence = explainMcpFailure(error, { server: server.name, tool: call.tool, timeout, reason });
    throw isMcpUndelivered(error) ? new McpUndeliveredError(sentence) : new Error(sentence);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_TOOLS_NAMED = 50;

function describeUnknownMcpTool({ server, tool }: McpToolCall, known: string[]): string {
  const named = known.slice(0, MAX_TOOLS_NAMED).join(', ');
  const there =
    known.length > 0 ? `Its tools are: ${named}${known.length > MAX_TOOLS_NAMED ? ', …' : ''}.` : 'It has none.';
  return `Not run: the MCP server "${server.name}" has no tool "${tool}" for you. ${there}`;
}

/** What a tool's result may hold at most; what runs tools clips at the same. */
const MAX_RESULT_LENGTH = 200_000;
/** For the words that say how much was left out. */
const NOTE_LENGTH = 100;

/** A server's result in words; a tool that says it failed is an `Error` with its words. */
export function formatMcpResult(
  { content, structuredContent, isError }: CallToolResult,
  most = MAX_RESULT_LENGTH,
): string {
  const hasText = content.some(({ type }) => type === 'text' || type === 'resource');
  const structured = structuredContent !== undefined && !hasText ? [JSON.stringify(structuredContent)] : [];
  const text = joinTruncated([...content.map(describeBlock), ...structured], most - NOTE_LENGTH);
  if (isError) throw new Error(text || 'The tool failed and did not say why.');
  return text || 'Done; the tool returned nothing.';
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}, ${formatSize(block.data)}]`;
    case 'resource_link': {
      const more = [block.mimeType, block.description].filter(Boolean).join(', ');
      return `[link to ${block.title ?? block.name}: ${block.uri}${more && ` (${more})`}]`;
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}: ${resource.mimeType ?? 'of no said type'}, ${formatSize(resource.blob)}]`;
    }
    default:
      return '[something of a kind that cannot be shown]';
  }
}

function formatSize(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} KB`;
}

/** Joined only as far as it will be read. */
function joinTruncated(parts: string[], most: number): string {
  let text = '';
  let left = 0;
  for (const part of parts) {
    const line = text === '' ? part : `\n${part}`;
    const kept = line.slice(0, most - text.length);
    left += line.length - kept.length;
    text += kept;
  }
  return left === 0 ? text : `${text}… [${left} more characters]`;
}
