import type { Agent } from '#contract/agent';

/** Every agent that this one can reach by delegating: what is pinned beside it when a conversation starts. */
export function teamOf(agent: Agent, find: (name: string) => Agent | undefined): Record<string, Agent> {
  const team = new Map<string, Agent>();
  const look = ({ subagents = [] }: Agent): void => {
    for (const name of subagents) {
      const next = find(name);
      if (!next || team.has(name)) continue;
      team.set(name, next);
      look(next);
    }
  };
  look(agent);
  return Object.fromEntries(team);
}
