import { z } from 'zod';
import type { Agent } from '../contract/agent';
import type { Block, Call } from '../core/state';
import type { Tool } from './tool';

export interface ToolDefinition {
  name: string;
  description: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

export interface Toolbox {
  /** The tools as the model is told of them, from the same schemas that check its calls. */
  definitions(agent: Agent): ToolDefinition[];
  /** A call as the workflow runs it; one it cannot run carries what the model should mend. */
  read(block: Block & { type: 'tool_use' }, agent: Agent): Call;
}

type Prepared = { tool: Tool; schema: z.ZodType; definition: ToolDefinition }[];

/** Agents differ little in their limits, and schemas are dear to make. */
const PREPARED_KEPT = 100;

export function toolbox(tools: Tool[]): Toolbox {
  const prepared = new Map<string, Prepared>();
  const preparedFor = (agent: Agent): Prepared => {
    const key = JSON.stringify(agent.questions);
    const known = prepared.get(key);
    if (known) return known;
    if (prepared.size >= PREPARED_KEPT) prepared.clear();
    const made = tools.map((tool) => prepare(tool, agent));
    prepared.set(key, made);
    return made;
  };
  return {
    definitions: (agent) => preparedFor(agent).map(({ definition }) => definition),
    read: (block, agent) => readCall(block, preparedFor(agent)),
  };
}

function prepare(tool: Tool, agent: Agent): Prepared[number] {
  const schema = tool.input(agent);
  const { $schema, ...input } = z.toJSONSchema(schema, { io: 'input' });
  const { name, description } = tool;
  return {
    tool,
    schema,
    definition: { name, description, input_schema: input as ToolDefinition['input_schema'] },
  };
}

function readCall(block: Block & { type: 'tool_use' }, prepared: Prepared): Call {
  const { id, name } = block;
  const found = prepared.find(({ tool }) => tool.name === name);
  if (!found) {
    const known = prepared.map(({ tool }) => tool.name).join(', ');
    return { id, name, run: 'fault', message: `There is no tool "${name}". The tools are: ${known}.` };
  }
  const { running } = found.tool;
  const parsed = found.schema.safeParse(block.input);
  if (!parsed.success) return { id, name, run: 'fault', message: faultsOf(name, parsed.error) };
  if (running.as === 'activity') return { id, name, run: 'activity', once: running.once };
  return { id, name, run: running.as, input: parsed.data } as Call;
}

const FAULTS_SHOWN = 10;

function faultsOf(name: string, error: z.ZodError): string {
  const faults = error.issues
    .slice(0, FAULTS_SHOWN)
    .map((issue) => `- ${issue.path.join('.') || 'input'}: ${issue.message}`);
  return [`The call of ${name} was not valid and was not run. Mend it and call again:`, ...faults].join('\n');
}
