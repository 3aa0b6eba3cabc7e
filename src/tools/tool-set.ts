import { z } from 'zod';
import type { Agent } from '#contract/agent';
import { readableParseOptions, toSchemaIssues } from '#contract/error-messages';
import type { ParsedToolCall } from '#core/conversation/state';
import { isTooDeeplyNested, MAX_JSON_DEPTH } from '#core/json';
import { canAskPeople, findMcpServer, findToolGrant, MCP_NAME_SEPARATOR } from '#core/tools/grants';
import type { ContentBlock, ToolDefinition } from '#core/transcript/transcript';
import type { McpCatalog } from './mcp/catalog';
import { type CallTrait, isAskingTool, type SubagentDescriptions, type Tool } from './tool';

export type ToolSet = ReturnType<typeof createToolSet>;

type PreparedTools = { tool: Tool; schema: z.ZodType; definition: Omit<ToolDefinition, 'description'> }[];

const EMPTY_CATALOG: McpCatalog = { tools: [], unreachable: [] };
/** Limit of cached tool lists. Agents differ little in their tools, and schemas are expensive to build. */
const MAX_CACHED = 100;

export function createToolSet(tools: Tool[]) {
  const prepared = new Map<string, PreparedTools>();
  const preparedFor = (agent: Agent): PreparedTools => {
    const key = JSON.stringify([agent.questions, agent.tools, agent.subagents, agent.canAsk]);
    const known = prepared.get(key);
    if (known) return known;
    if (prepared.size >= MAX_CACHED) prepared.clear();
    const preparedTools = selectToolsFor(agent, tools).map((tool) => prepareTool(tool, agent));
    prepared.set(key, preparedTools);
    return preparedTools;
  };
  return {
    /** Returns the tool definitions for the model, from the same schemas that validate its calls. */
    definitions: (
      agent: Agent,
      {
        mcp = EMPTY_CATALOG,
        subagentDescriptions = {},
      }: { mcp?: McpCatalog; subagentDescriptions?: SubagentDescriptions } = {},
    ): ToolDefinition[] => [
      ...preparedFor(agent).map(({ tool, definition }) => ({
        ...definition,
        description:
          typeof tool.description === 'string' ? tool.description : tool.description(agent, subagentDescriptions),
      })),
      ...mcp.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
    ],
    /** Parses a call for the workflow. An invalid call carries the errors for the model to correct. */
    parseCall(block: ToolUseBlock, agent: Agent, mcp: McpCatalog = EMPTY_CATALOG): ParsedToolCall {
      if (isTooDeeplyNested(block.input))
        return createInvalidCall(block, `Not run: the input is nested more than ${MAX_JSON_DEPTH} levels deep.`);
      const preparedTool = preparedFor(agent).find(({ tool }) => tool.name === block.name);
      if (preparedTool) return parseBuiltInCall(block, preparedTool);
      if (findMcpServer(agent, block.name)) return parseServerCall(block, mcp);
      const known = [...preparedFor(agent).map(({ tool }) => tool.name), ...mcp.tools.map(({ name }) => name)];
      const isKnownAskingTool = tools.some(({ name, execution }) => name === block.name && isAskingTool(execution));
      return createInvalidCall(block, isKnownAskingTool ? ASKING_NOT_ALLOWED : describeUnknownTool(block.name, known));
    },
  };
}

/** Returns the tools that this agent may use. */
export function selectToolsFor(agent: Agent, tools: Tool[]): Tool[] {
  return tools.filter(({ name, execution, isAlwaysAvailable }) => {
    if (isAlwaysAvailable) return true;
    if (isAskingTool(execution)) return canAskPeople(agent);
    if (execution.kind === 'child') return agent.subagents.length > 0;
    return findToolGrant(agent, name) !== undefined;
  });
}

const ASKING_NOT_ALLOWED =
  'Not asked: this agent may not ask people (canAsk: false in its file). Continue with what you know, and say what you assumed.';

function describeUnknownTool(name: string, toolNames: string[]): string {
  const toolList = toolNames.length > 0 ? `Available tools: ${toolNames.join(', ')}.` : 'You have no tools.';
  return `Unknown tool "${name}". ${toolList}`;
}

function prepareTool(tool: Tool, agent: Agent): PreparedTools[number] {
  const schema = tool.input(agent);
  const { $schema, ...input } = z.toJSONSchema(schema, { io: 'input' });
  const { name } = tool;
  return { tool, schema, definition: { name, input_schema: input as ToolDefinition['input_schema'] } };
}

type ToolUseBlock = ContentBlock & { type: 'tool_use' };

function createInvalidCall({ id, name }: ToolUseBlock, message: string): ParsedToolCall {
  return { id, name, run: 'invalid', message };
}

function parseBuiltInCall(block: ToolUseBlock, { tool, schema }: PreparedTools[number]): ParsedToolCall {
  const { id, name } = block;
  const { execution } = tool;
  const parsed = schema.safeParse(block.input, readableParseOptions);
  if (!parsed.success) return createInvalidCall(block, describeIssues(name, parsed.error));
  if (execution.kind === 'activity') {
    const { runOnce, destructive = false } = execution;
    const holds = (trait: CallTrait) => (typeof trait === 'boolean' ? trait : trait(parsed.data));
    return { id, name, run: 'activity', runOnce: holds(runOnce), ...(holds(destructive) && { destructive: true }) };
  }
  return { id, name, run: execution.kind, input: parsed.data } as ParsedToolCall;
}

/** Parses a call of an MCP tool. The server validates the arguments, and may be back if it was down. */
function parseServerCall(block: ToolUseBlock, mcp: McpCatalog): ParsedToolCall {
  const { id, name } = block;
  const tool = mcp.tools.find((candidate) => candidate.name === name);
  const unavailableServer = mcp.unreachable.find(({ server }) => name.startsWith(`${server}${MCP_NAME_SEPARATOR}`));
  if (unavailableServer?.isRefused) return createInvalidCall(block, `Not run: ${unavailableServer.reason}.`);
  const known = mcp.tools.map((candidate) => candidate.name);
  if (!tool && !unavailableServer) return createInvalidCall(block, describeUnknownTool(name, known));
  return {
    id,
    name,
    run: 'activity',
    runOnce: tool?.runOnce ?? true,
    ...((tool?.destructive ?? true) && { destructive: true }),
    ...(tool ? { serverToolName: tool.serverToolName } : {}),
  };
}

const MAX_ISSUES = 10;

function describeIssues(name: string, error: z.ZodError): string {
  const issues = error.issues
    .flatMap(toSchemaIssues)
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `- ${path.join('.') || 'input'}: ${message}`);
  return [`The call to ${name} is invalid and was not run. Fix these errors and call again:`, ...issues].join('\n');
}
