import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpServer } from '#contract/agent';
import type { Connection } from './connection';
import { explain } from './explain';
import type { Listed } from './listing';
import { usableTools } from './offer';
import { readResult } from './result';
import { isUndelivered } from './trouble';

export interface ToolCall {
  server: { name: string; config: McpServer };
  /** By the name the model knows. */
  tool: string;
  /** What the server called it when the model was told of it. */
  own?: string;
  input: unknown;
  signal: AbortSignal;
  resultLength?: number;
}

/** The server never had the call: it may be sent again on a new connection. */
export class Undelivered extends Error {}

export async function callOn(connection: Connection, call: ToolCall): Promise<string> {
  const { name, config } = call.server;
  const tools = usableTools(name, config, await connection.tools());
  const tool = tools.get(call.tool);
  if (!tool || (call.own ?? tool.name) !== tool.name) throw new Error(noSuchTool(call, [...tools.keys()]));
  return readResult(await resultOf(connection, tool, call), call.resultLength);
}

async function resultOf(connection: Connection, tool: Listed, call: ToolCall): Promise<CallToolResult> {
  const { server, input, signal } = call;
  const { timeout } = server.config;
  if (!isRecord(input)) throw new Error(`Not run: the input of ${call.tool} has to be an object.`);
  try {
    return await connection.call(tool, input, { timeout, signal });
  } catch (error) {
    const reason = await connection.reason(error);
    const sentence = explain(error, { server: server.name, tool: call.tool, timeout, reason });
    throw isUndelivered(error) ? new Undelivered(sentence) : new Error(sentence);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TOOLS_NAMED = 50;

function noSuchTool({ server, tool }: ToolCall, known: string[]): string {
  const named = known.slice(0, TOOLS_NAMED).join(', ');
  const there =
    known.length > 0 ? `Its tools are: ${named}${known.length > TOOLS_NAMED ? ', …' : ''}.` : 'It has none.';
  return `Not run: the MCP server "${server.name}" has no tool "${tool}" for you. ${there}`;
}
