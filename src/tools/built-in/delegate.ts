import { createDelegateInputSchema } from '#contract/tool-inputs';
import type { Tool } from '#tools/tool';

export const delegateTool: Tool = {
  name: 'delegate',
  description: ({ subagents = [] }, descriptions) =>
    [
      'Give a task to a sub-agent and wait for its result. It works by itself, with tools of its own, and sees nothing of this conversation but the task. Call several times in one turn to have tasks worked on side by side. Your sub-agents:',
      ...subagents.map((name) => `- ${name}: ${descriptions[name] ?? ''}`),
    ].join('\n'),
  input: (agent) => createDelegateInputSchema(agent.subagents),
  execution: { kind: 'child' },
};
