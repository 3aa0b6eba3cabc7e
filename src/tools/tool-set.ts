import { z } from 'zod';
import type { Agent } from '#contract/agent';
import { readableParseOptions, toSchemaIssues } from '#contract/error-messages';
import type { ParsedToolCall } from '#core/conversation/state';
import { isTooDeeplyNested, MAX_JSON_DEPTH } from '#core/json';
import { canAskPeople, findMcpServer, findToolGrant, MCP_NAME_SEPARATOR } from '#core/tools/grants';
import type { ContentBlock } from '#core/transcript/transcript';
import type { McpCatalog } from './mcp/catalog';
import { isAskingTool, type SubagentDescriptions, type Tool } from './tool';

export interface ToolDefinition {
  name: string;
  description: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

export interface ToolSet {
  /** The tools as the model is told of them, from the same schemas that check its calls. */
  definitions(agent: Agent, around?: { mcp?: McpCatalog; team?: SubagentDescriptions }): ToolDefinition[];
  /** A call as the workflow runs it; one it cannot run carries what the model should mend. */
  read(block: ContentBlock & { type: 'tool_use' }, agent: Agent, mcp?: McpCatalog): ParsedToolCall;
}

type PreparedTools = { tool: Tool; schema: z.ZodType; definition: Omit<ToolDefinition, 'description'> }[];

const EMPTY_CATALOG: McpCatalog = { tools: [], unreachable: [] };
/** Agents differ little in what they may, and schemas are dear to make. */
const MAX_CACHED = 100;

export function createToolSet(tools: Tool[]): ToolSet {
  const prepared = new Map<string, PreparedTools>();
  const preparedFor = (agent: Agent): PreparedTools => {
    const key = JSON.stringify([agent.questions, agent.tools, agent.subagents, agent.canAsk]);
    const known = prepared.get(key);
    if (known) return known;
    if (prepared.size >= MAX_CACHED) prepared.clear();
    const made = selectToolsFor(agent, tools).map((tool) => prepareTool(tool, agent));
    prepared.set(key, made);
    return made;
  };
  return {
    definitions: (agent, { mcp = EMPTY_CATALOG, team = {} } = {}) => [
      ...preparedFor(agent).map(({ tool, definition }) => ({
        ...definition,
        description: typeof tool.description === 'string' ? tool.description : tool.description(agent, team),
      })),
      ...mcp.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
    ],
    read(block, agent, mcp = EMPTY_CATALOG) {
      if (isTooDeeplyNested(block.input))
        return createInvalidCall(block, `Not run: the input is nested over ${MAX_JSON_DEPTH} levels deep.`);
      const found = preparedFor(agent).find(({ tool }) => tool.name === block.name);
      if (found) return parseCall(block, found);
      if (findMcpServer(agent, block.name)) return parseServerCall(block, mcp);
      const known = [...preparedFor(agent).map(({ tool }) => tool.name), ...mcp.tools.map(({ name }) => name)];
      const isOurs = tools.some(({ name, running }) => name === block.name && isAskingTool(running));
      return createInvalidCall(block, isOurs ? ASKING_NOT_ALLOWED : describeUnknownTool(block.name, known));
    },
  };
}

/** Of the tools there are, those this agent may use. */
export function selectToolsFor(agent: Agent, tools: Tool[]): Tool[] {
  return tools.filter(({ name, running, settings, isForAll }) => {
    if (isForAll) return true;
    if (isAskingTool(running)) return canAskPeople(agent);
    if (running.as === 'child') return (agent.subagents ?? []).length > 0;
    // Before 0.3 an agent had every tool there was.
    return agent.tools ? findToolGrant(agent, name) !== undefined : settings === undefined;
  });
}

const ASKING_NOT_ALLOWED =
  'Not put: this agent may not ask people (canAsk: false in its file). Go on with what you know, and say what you assumed.';

function describeUnknownTool(name: string, known: string[]): string {
  const there = known.length > 0 ? `The tools are: ${known.join(', ')}.` : 'You have no tools.';
  return `There is no tool "${name}". ${there}`;
}

function prepareTool(tool: Tool, agent: Agent): PreparedTools[number] {
  const schema = tool.input(agent);
  const { $schema, ...input } = z.toJSONSchema(schema, { io: 'input' });
  const { name } = tool;
  return { tool, schema, definition: { name, input_schema: input as ToolDefinition['input_schema'] } };
}

type ToolUseBlock = ContentBlock & { type: 'tool_use' };

function createInvalidCall({ id, name }: ToolUseBlock, message: string): ParsedToolCall {
  return { id, name, run: 'fault', message };
}

function parseCall(block: ToolUseBlock, { tool, schema }: PreparedTools[number]): ParsedToolCall {
  const { id, name } = block;
  const { running } = tool;
  const parsed = schema.safeParse(block.input, readableParseOptions);
  if (!parsed.success) return createInvalidCall(block, describeIssues(name, parsed.error));
  if (running.as === 'activity') {
    const once = typeof running.once === 'boolean' ? running.once : running.once(parsed.data);
    return { id, name, run: 'activity', once };
  }
  return { id, name, run: running.as, input: parsed.data } as ParsedToolCall;
}

/** Its arguments are for the server to check. A tool of a server that is down is called all the same: it may be back. */
function parseServerCall(block: ToolUseBlock, mcp: McpCatalog): ParsedToolCall {
  const { id, name } = block;
  const tool = mcp.tools.find((one) => one.name === name);
  const down = mcp.unreachable.find(({ server }) => name.startsWith(`${server}${MCP_NAME_SEPARATOR}`));
  if (down?.isRefused) return createInvalidCall(block, `Not run: ${down.why}.`);
  if (!tool && !down) {
    return createInvalidCall(
      block,
      describeUnknownTool(
        name,
        mcp.tools.map((one) => one.name),
      ),
    );
  }
  return { id, name, run: 'activity', once: tool?.once ?? true, ...(tool ? { own: tool.own } : {}) };
}

const MAX_ISSUES = 10;

function describeIssues(name: string, error: z.ZodError): string {
  const faults = error.issues
    .flatMap(toSchemaIssues)
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `- ${path.join('.') || 'input'}: ${message}`);
  return [`The call of ${name} was not valid and was not run. Mend it and call again:`, ...faults].join('\n');
}
