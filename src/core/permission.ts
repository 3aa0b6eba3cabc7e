import type { Agent, McpServer, ToolEntry } from '../contract/agent';

/** As every agent has it that says nothing of tools, and those from before there was anything to say. */
const USUAL: ToolEntry[] = [{ name: 'write_todos' }];

/** What the agent's file says of a tool; nothing where it does not name it. */
export function entryOf(agent: Agent, tool: string): ToolEntry | undefined {
  return (agent.tools ?? USUAL).find((entry) => entry.name === tool);
}

/** Runs only when a person said yes to these very arguments. */
export function requiresConfirmation(agent: Agent, tool: string): boolean {
  return (agent.tools ?? USUAL).some(
    (entry) => entry.requiresConfirmation === true && isMeant(entry.name, tool),
  );
}

/** Names with a hash are cut to this length before it. */
const STEM = 119;

/** Also where the tool of a server got a name with a hash, because another of its tools would have the same. */
export function isMeant(guarded: string, tool: string): boolean {
  const [, stem = ''] = /^(.+)_[0-9a-f]{8}$/.exec(tool) ?? [];
  const isHashed =
    guarded.includes(OF) && (stem === guarded || (stem.length === STEM && guarded.startsWith(stem)));
  return guarded === tool || isHashed;
}

/** Between the name of an MCP server and that of its tool. */
export const OF = '__';

/** What the model calls a server's tool, unless another of its tools would have the same name. */
export function plainName(server: string, tool: string): string {
  return `${server}${OF}${tool.replace(/[^a-zA-Z0-9_-]/gu, '_')}`;
}

/** The MCP server that a tool is of, by its name. */
export function serverOf(agent: Agent, tool: string): { name: string; config: McpServer } | undefined {
  const name = tool.slice(0, tool.indexOf(OF));
  const servers = agent.mcp ?? {};
  const config = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return config && { name, config };
}

export function canAsk(agent: Agent): boolean {
  return agent.canAsk !== false;
}
