import type { Agent, McpServerConfig, ToolGrant } from '#contract/agent';

/** The agent file's entry for a tool, if any. */
export function findToolGrant(agent: Agent, tool: string): ToolGrant | undefined {
  return agent.tools.find((entry) => entry.name === tool);
}

/** The settings beside the tool's name in the agent file. */
export function toolSettings(agent: Agent, tool: string): Record<string, unknown> {
  const { name: _, requiresConfirmation, ...settings } = findToolGrant(agent, tool) ?? { name: tool };
  return settings;
}

/** Access to the worker's machine that an agent file grants: an MCP server, or settings of a tool. */
export type AgentGrant = { server: McpServerConfig } | { tool: string; settings: unknown };

/** A tool without settings grants nothing. */
export function listAgentGrants(agent: Agent): AgentGrant[] {
  const tools = agent.tools.map(({ name }) => ({ tool: name, settings: toolSettings(agent, name) }));
  const servers = Object.values(agent.mcp).map((server) => ({ server }));
  return [...servers, ...tools.filter(({ settings }) => Object.keys(settings).length > 0)];
}

/** True if the tool runs only after a person approved its exact arguments. */
export function needsConfirmation(agent: Agent, tool: string): boolean {
  const guarded = agent.tools.filter((entry) => entry.requiresConfirmation === true);
  return guarded.some((entry) => matchesToolName(entry.name, tool));
}

/** Limit of the Messages API. */
export const MAX_TOOL_NAME_LENGTH = 128;
/** Hex digits appended to a name that is too long or not unique. */
export const TOOL_NAME_HASH_LENGTH = 8;
/** Length of the name before the hash. */
export const TOOL_NAME_STEM_LENGTH = MAX_TOOL_NAME_LENGTH - TOOL_NAME_HASH_LENGTH - 1;

const HASHED_NAME = new RegExp(`^(.+)_[0-9a-f]{${TOOL_NAME_HASH_LENGTH}}$`);

/** Matches a tool by name, also if its name got a hash to be unique. */
export function matchesToolName(grantName: string, tool: string): boolean {
  const [, stem = ''] = HASHED_NAME.exec(tool) ?? [];
  const isHashed =
    grantName.includes(MCP_NAME_SEPARATOR) &&
    (stem === grantName || (stem.length === TOOL_NAME_STEM_LENGTH && grantName.startsWith(stem)));
  return grantName === tool || isHashed;
}

/** Separates an MCP server's name from the tool's. */
export const MCP_NAME_SEPARATOR = '__';

/** The model's name for an MCP tool, unless another tool would get the same name. */
export function defaultMcpToolName(server: string, tool: string): string {
  return `${server}${MCP_NAME_SEPARATOR}${tool.replace(/[^a-zA-Z0-9_-]/gu, '_')}`;
}

/** Finds the MCP server of a tool by the tool's name. */
export function findMcpServer(agent: Agent, tool: string): { name: string; config: McpServerConfig } | undefined {
  const name = tool.slice(0, tool.indexOf(MCP_NAME_SEPARATOR));
  const servers = agent.mcp;
  const config = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return config && { name, config };
}

export function canAskPeople(agent: Agent): boolean {
  return agent.canAsk;
}
