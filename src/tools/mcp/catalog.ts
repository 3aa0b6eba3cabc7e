import type { Agent } from '#contract/agent';
import { findMcpServer, MCP_NAME_SEPARATOR, matchesToolName } from '#core/tools/grants';

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

export interface UnavailableMcpServer {
  server: string;
  why: string;
  /** Its tools are not to be used, whether it is there or not. */
  isRefused?: true;
}

/** What could be learned of an agent's servers. One that is down, or has tools that do not fit, is said so, and why. */
export interface McpCatalog {
  tools: McpTool[];
  unreachable: UnavailableMcpServer[];
}

/**
 * A guard that fits none of a server's tools guards nothing: it is misspelt, or the tool was renamed. Then none of that
 * server's tools may be used, rather than one that somebody meant to guard.
 */
export function excludeUnguardedServers(agent: Agent, offer: McpCatalog): McpCatalog {
  const idle = (agent.tools ?? []).flatMap(({ name, requiresConfirmation }) => {
    const server = requiresConfirmation ? findMcpServer(agent, name)?.name : undefined;
    const isDown = offer.unreachable.some((one) => one.server === server);
    const isKnown = offer.tools.some((tool) => matchesToolName(name, tool.name));
    return server === undefined || isDown || isKnown ? [] : [{ server, name }];
  });
  if (idle.length === 0) return offer;
  const tools = offer.tools.filter(
    ({ name }) => !idle.some(({ server }) => name.startsWith(`${server}${MCP_NAME_SEPARATOR}`)),
  );
  const refused = idle.map(({ server, name }) => ({
    server,
    why: describeUnmatchedGuard(server, name),
    isRefused: true as const,
  }));
  return { tools, unreachable: [...offer.unreachable, ...refused] };
}

function describeUnmatchedGuard(server: string, name: string): string {
  return `the agent's file requires confirmation for ${name}, which ${server} does not have; so none of its tools may be used until the file is mended`;
}
