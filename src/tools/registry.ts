import { z } from 'zod';
import type { Agent } from '../contract/agent';
import type { Block, Call } from '../core/state';
import { askUserQuestion } from './ask-user-question';
import { confirmAction } from './confirm-action';
import type { Tool } from './tool';
import { writeTodos } from './write-todos';

/** The one place where a tool is registered. */
export const builtIn: Tool[] = [askUserQuestion, confirmAction, writeTodos];

export interface ToolDefinition {
  name: string;
  description: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

/** The tools as the model is told of them, from the same schemas that check its calls. */
export function definitionsOf(tools: Tool[], agent: Agent): ToolDefinition[] {
  return tools.map((tool) => {
    const { $schema, ...schema } = z.toJSONSchema(tool.input(agent), { io: 'input' });
    return {
      name: tool.name,
      description: tool.description,
      input_schema: schema as ToolDefinition['input_schema'],
    };
  });
}

/** A call as the workflow runs it; one it cannot run carries what the model should mend. */
export function readCall(block: Block & { type: 'tool_use' }, tools: Tool[], agent: Agent): Call {
  const { id, name } = block;
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) {
    const known = tools.map((candidate) => candidate.name).join(', ');
    return { id, name, run: 'fault', message: `There is no tool "${name}". The tools are: ${known}.` };
  }
  const parsed = tool.input(agent).safeParse(block.input);
  if (!parsed.success) return { id, name, run: 'fault', message: faultsOf(name, parsed.error) };
  if (tool.running.as === 'activity') return { id, name, run: 'activity', once: tool.running.once };
  return { id, name, run: tool.running.as, input: parsed.data } as Call;
}

const FAULTS_SHOWN = 10;

function faultsOf(name: string, error: z.ZodError): string {
  const faults = error.issues
    .slice(0, FAULTS_SHOWN)
    .map((issue) => `- ${issue.path.join('.') || 'input'}: ${issue.message}`);
  return [`The call of ${name} was not valid and was not run. Mend it and call again:`, ...faults].join('\n');
}
