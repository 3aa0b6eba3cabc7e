import { delegateInput } from '../contract/asking';
import type { Tool } from './tool';

export const delegate: Tool = {
  name: 'delegate',
  description: (agent) =>
    `Give a task to a sub-agent and wait for its result. It works by itself, with tools of its own, and sees nothing of this conversation but the task. Call several times in one turn to have tasks worked on side by side. Your sub-agents: ${(agent.subagents ?? []).join(', ')}.`,
  input: (agent) => delegateInput(agent.subagents ?? []),
  running: { as: 'child' },
};
