import { z } from 'zod';
import type { Agent } from '#contract/agent';
import { faultsIn, IN_WORDS } from '#contract/sentences';
import { DEPTH, isTooDeep } from '#core/json';
import { canAsk, entryOf, OF, serverOf } from '#core/permission';
import type { Block, Call } from '#core/state';
import type { McpOffer } from './mcp';
import { isAsking, type Team, type Tool } from './tool';

export interface ToolDefinition {
  name: string;
  description: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

export interface Toolbox {
  /** The tools as the model is told of them, from the same schemas that check its calls. */
  definitions(agent: Agent, around?: { mcp?: McpOffer; team?: Team }): ToolDefinition[];
  /** A call as the workflow runs it; one it cannot run carries what the model should mend. */
  read(block: Block & { type: 'tool_use' }, agent: Agent, mcp?: McpOffer): Call;
}

type Prepared = { tool: Tool; schema: z.ZodType; definition: Omit<ToolDefinition, 'description'> }[];

const NO_SERVERS: McpOffer = { tools: [], unreachable: [] };
/** Agents differ little in what they may, and schemas are dear to make. */
const PREPARED_KEPT = 100;

export function toolbox(tools: Tool[]): Toolbox {
  const prepared = new Map<string, Prepared>();
  const preparedFor = (agent: Agent): Prepared => {
    const key = JSON.stringify([agent.questions, agent.tools, agent.subagents, agent.canAsk]);
    const known = prepared.get(key);
    if (known) return known;
    if (prepared.size >= PREPARED_KEPT) prepared.clear();
    const made = toolsOf(agent, tools).map((tool) => prepare(tool, agent));
    prepared.set(key, made);
    return made;
  };
  return {
    definitions: (agent, { mcp = NO_SERVERS, team = {} } = {}) => [
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
    read(block, agent, mcp = NO_SERVERS) {
      if (isTooDeep(block.input))
        return fault(block, `Not run: the input is nested over ${DEPTH} levels deep.`);
      const found = preparedFor(agent).find(({ tool }) => tool.name === block.name);
      if (found) return readCall(block, found);
      if (serverOf(agent, block.name)) return readServerCall(block, mcp);
      const known = [
        ...preparedFor(agent).map(({ tool }) => tool.name),
        ...mcp.tools.map(({ name }) => name),
      ];
      const isOurs = tools.some(({ name, running }) => name === block.name && isAsking(running));
      return fault(block, isOurs ? MAY_NOT_ASK : noSuchTool(block.name, known));
    },
  };
}

/** Of the tools there are, those this agent may use. */
export function toolsOf(agent: Agent, tools: Tool[]): Tool[] {
  return tools.filter(({ name, running, settings, isForAll }) => {
    if (isForAll) return true;
    if (isAsking(running)) return canAsk(agent);
    if (running.as === 'child') return (agent.subagents ?? []).length > 0;
    // Before 0.3 an agent had every tool there was.
    return agent.tools ? entryOf(agent, name) !== undefined : settings === undefined;
  });
}

const MAY_NOT_ASK =
  'Not put: this agent may not ask people (canAsk: false in its file). Go on with what you know, and say what you assumed.';

function noSuchTool(name: string, known: string[]): string {
  const there = known.length > 0 ? `The tools are: ${known.join(', ')}.` : 'You have no tools.';
  return `There is no tool "${name}". ${there}`;
}

function prepare(tool: Tool, agent: Agent): Prepared[number] {
  const schema = tool.input(agent);
  const { $schema, ...input } = z.toJSONSchema(schema, { io: 'input' });
  const { name } = tool;
  return { tool, schema, definition: { name, input_schema: input as ToolDefinition['input_schema'] } };
}

type Use = Block & { type: 'tool_use' };

function fault({ id, name }: Use, message: string): Call {
  return { id, name, run: 'fault', message };
}

function readCall(block: Use, { tool, schema }: Prepared[number]): Call {
  const { id, name } = block;
  const { running } = tool;
  const parsed = schema.safeParse(block.input, IN_WORDS);
  if (!parsed.success) return fault(block, faultsOf(name, parsed.error));
  if (running.as === 'activity') {
    const once = typeof running.once === 'boolean' ? running.once : running.once(parsed.data);
    return { id, name, run: 'activity', once };
  }
  return { id, name, run: running.as, input: parsed.data } as Call;
}

/** Its arguments are for the server to check. A tool of a server that is down is called all the same: it may be back. */
function readServerCall(block: Use, mcp: McpOffer): Call {
  const { id, name } = block;
  const tool = mcp.tools.find((one) => one.name === name);
  const down = mcp.unreachable.find(({ server }) => name.startsWith(`${server}${OF}`));
  if (down?.isRefused) return fault(block, `Not run: ${down.why}.`);
  if (!tool && !down) {
    return fault(
      block,
      noSuchTool(
        name,
        mcp.tools.map((one) => one.name),
      ),
    );
  }
  return { id, name, run: 'activity', once: tool?.once ?? true, ...(tool ? { own: tool.own } : {}) };
}

const FAULTS_SHOWN = 10;

function faultsOf(name: string, error: z.ZodError): string {
  const faults = error.issues
    .flatMap(faultsIn)
    .slice(0, FAULTS_SHOWN)
    .map(({ path, message }) => `- ${path.join('.') || 'input'}: ${message}`);
  return [`The call of ${name} was not valid and was not run. Mend it and call again:`, ...faults].join('\n');
}
