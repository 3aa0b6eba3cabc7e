import { toAgentView } from '#agents/agent-view';
import type { ApiDeps } from '#api/dependencies';
import { ApiError } from '#api/middleware/errors';
import type { OperationHandlers } from '#api/router';
import type { Agent } from '#contract/agent';

export function agentRoutes(deps: ApiDeps): Pick<OperationHandlers, 'listAgents' | 'getAgent'> {
  // Sort by agent name, as file names may differ.
  const sorted = [...deps.agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const toView = (agent: Agent) => toAgentView(agent, deps.url, deps.toolNames(agent));
  return {
    listAgents(_request, response) {
      response.json({ items: sorted.map(toView) });
    },
    getAgent({ params: { name } }, response) {
      const agent = deps.agents.get(name);
      if (!agent) {
        const names = sorted.map((entry) => entry.name).join(', ');
        const shown = JSON.stringify(name.slice(0, 200));
        throw new ApiError('agent_not_found', `No agent named ${shown}. Available: ${names}.`);
      }
      response.json(toView(agent));
    },
  };
}
