import { createDelegateInputSchema } from '#contract/tool-inputs';
import type { Tool } from '#tools/tool';

export const delegateTool: Tool = {
  name: 'delegate',
  description: ({ subagents = [] }, descriptions) =>
    [
      'Give a task to a sub-agent and wait for its result. It works independently with its own tools, and sees only the task, not this conversation. Make several calls in one turn to run tasks in parallel. Your sub-agents:',
      ...subagents.map((name) => `- ${name}: ${descriptions[name] ?? ''}`),
    ].join('\n'),
  input: (agent) => createDelegateInputSchema(agent.subagents),
  execution: { kind: 'child' },
};
