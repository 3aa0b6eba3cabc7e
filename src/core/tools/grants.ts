import type { Agent, McpServerConfig, ToolGrant } from '#contract/agent';

/** What the agent's file says of a tool; nothing where it does not name it. */
export function findToolGrant(agent: Agent, tool: string): ToolGrant | undefined {
  return agent.tools.find((entry) => entry.name === tool);
}

/** What stands beside the tool's name in the agent's file, for the tool itself to read. */
export function toolSettings(agent: Agent, tool: string): Record<string, unknown> {
  const { name: _, requiresConfirmation, ...settings } = findToolGrant(agent, tool) ?? { name: tool };
  return settings;
}

/** What an agent's file gives it of the machine its tools run on: a program or an address, or how a tool is set. */
export type AgentGrant = { server: McpServerConfig } | { tool: string; settings: unknown };

/** To set nothing gives nothing. */
export function listAgentGrants(agent: Agent): AgentGrant[] {
  const tools = agent.tools.map(({ name }) => ({ tool: name, settings: toolSettings(agent, name) }));
  const servers = Object.values(agent.mcp).map((server) => ({ server }));
  return [...servers, ...tools.filter(({ settings }) => Object.keys(settings).length > 0)];
}

/** Runs only when a person said yes to these very arguments. */
export function needsConfirmation(agent: Agent, tool: string): boolean {
  const guarded = agent.tools.filter((entry) => entry.requiresConfirmation === true);
  return guarded.some((entry) => matchesToolName(entry.name, tool));
}

/** What the Messages API takes as the name of a tool. */
export const MAX_TOOL_NAME_LENGTH = 128;
/** Hex digits at the end of a name that would not be the only one, or too long. */
export const TOOL_NAME_HASH_LENGTH = 8;
/** A name is cut to this before its hash. */
export const TOOL_NAME_STEM_LENGTH = MAX_TOOL_NAME_LENGTH - TOOL_NAME_HASH_LENGTH - 1;

const HASHED_NAME = new RegExp(`^(.+)_[0-9a-f]{${TOOL_NAME_HASH_LENGTH}}$`);

/** Also where the tool of a server got a name with a hash, because another of its tools would have the same. */
export function matchesToolName(grantName: string, tool: string): boolean {
  const [, stem = ''] = HASHED_NAME.exec(tool) ?? [];
  const isHashed =
    grantName.includes(MCP_NAME_SEPARATOR) &&
    (stem === grantName || (stem.length === TOOL_NAME_STEM_LENGTH && grantName.startsWith(stem)));
  return grantName === tool || isHashed;
}

/** Between the name of an MCP server and that of its tool. */
export const MCP_NAME_SEPARATOR = '__';

/** What the model calls a server's tool, unless another of its tools would have the same name. */
export function defaultMcpToolName(server: string, tool: string): string {
  return `${server}${MCP_NAME_SEPARATOR}${tool.replace(/[^a-zA-Z0-9_-]/gu, '_')}`;
}

/** The MCP server that a tool is of, by its name. */
export function findMcpServer(agent: Agent, tool: string): { name: string; config: McpServerConfig } | undefined {
  const name = tool.slice(0, tool.indexOf(MCP_NAME_SEPARATOR));
  const servers = agent.mcp;
  const config = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return config && { name, config };
}

export function canAskPeople(agent: Agent): boolean {
  return agent.canAsk;
}
