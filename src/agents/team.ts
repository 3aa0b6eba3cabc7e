import type { Agent } from '../contract/agent';

/** Every agent that this one can reach by delegating: what is pinned beside it when a conversation starts. */
export function teamOf(agents: ReadonlyMap<string, Agent>, name: string): Record<string, Agent> {
  const team = new Map<string, Agent>();
  const look = (from: string): void => {
    for (const next of agents.get(from)?.subagents ?? []) {
      const agent = agents.get(next);
      if (!agent || team.has(next)) continue;
      team.set(next, agent);
      look(next);
    }
  };
  look(name);
  return Object.fromEntries(team);
}
