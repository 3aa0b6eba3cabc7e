import type { Agent } from '#contract/agent';
import { findMcpServer, MCP_NAME_SEPARATOR, matchesToolName } from '#core/tools/grants';

/** A tool of an MCP server, under the name by which the model calls it: `server__tool`. */
export interface McpTool {
  name: string;
  /** The server's own name for the tool. */
  serverToolName: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  /** Whether a call must never run twice. False for read-only and idempotent tools. */
  runOnce: boolean;
  /** Whether a call may change or delete things. */
  destructive: boolean;
}

export interface UnavailableMcpServer {
  server: string;
  reason: string;
  /** The server's tools must not be used, even if it can be reached. */
  isRefused?: true;
}

/** The tools of an agent's servers, and the servers that are down or have tools that were left out, with the reason. */
export interface McpCatalog {
  tools: McpTool[];
  unreachable: UnavailableMcpServer[];
}

/**
 * Excludes servers with a `requiresConfirmation` entry that matches none of their tools. The entry is misspelt, or the
 * tool was renamed, and the tool meant to be guarded would run without confirmation.
 */
export function excludeUnguardedServers(agent: Agent, catalog: McpCatalog): McpCatalog {
  const unmatchedGuards = agent.tools.flatMap(({ name, requiresConfirmation }) => {
    const server = requiresConfirmation ? findMcpServer(agent, name)?.name : undefined;
    const isDown = catalog.unreachable.some((unavailable) => unavailable.server === server);
    const isKnown = catalog.tools.some((tool) => matchesToolName(name, tool.name));
    return server === undefined || isDown || isKnown ? [] : [{ server, name }];
  });
  if (unmatchedGuards.length === 0) return catalog;
  const tools = catalog.tools.filter(
    ({ name }) => !unmatchedGuards.some(({ server }) => name.startsWith(`${server}${MCP_NAME_SEPARATOR}`)),
  );
  const refused = unmatchedGuards.map(({ server, name }) => ({
    server,
    reason: `the agent file requires confirmation for ${name}, which ${server} does not have, so all of its tools are blocked until the file is fixed`,
    isRefused: true as const,
  }));
  return { tools, unreachable: [...catalog.unreachable, ...refused] };
}
