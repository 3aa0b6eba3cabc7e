import type { McpServer } from '#contract/agent';

/** A tool of an MCP server, under the name the model calls it by: `server__tool`. */
export interface McpTool {
  name: string;
  /** What the server itself calls it. */
  own: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  /** Must a call of it never run twice? What only reads may. */
  once: boolean;
}

export interface Unreachable {
  server: string;
  why: string;
  /** Its tools are not to be used, whether it is there or not. */
  isRefused?: true;
}

/** What could be learned of an agent's servers. One that is down, or has tools that do not fit, is said so, and why. */
export interface McpOffer {
  tools: McpTool[];
  unreachable: Unreachable[];
}

/** The MCP servers of agents, connected to when they are needed and shared by all conversations of the worker. */
export interface McpServers {
  offer(servers: Record<string, McpServer>): Promise<McpOffer>;
  /** Call a tool by the name the model knows, unless the server calls another one so by now; throws an `Error` with a sentence for the model to read. */
  call(
    server: { name: string; config: McpServer },
    tool: { name: string; own?: string },
    input: unknown,
    signal: AbortSignal,
    /** How long a result is worth having. */
    resultLength?: number,
  ): Promise<string>;
  close(): Promise<void>;
}
