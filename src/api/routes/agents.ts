import { toAgentView } from '#agents/agent-view';
import type { ApiDeps } from '#api/dependencies';
import { ApiError } from '#api/middleware/errors';
import type { OperationHandlers } from '#api/router';
import type { Agent } from '#contract/agent';

export function agentRoutes(context: ApiDeps): Pick<OperationHandlers, 'listAgents' | 'getAgent'> {
  // Their files may be named otherwise.
  const all = [...context.agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const told = (agent: Agent) => toAgentView(agent, context.url, context.tools(agent));
  return {
    listAgents(_request, response) {
      response.json({ items: all.map(told) });
    },
    getAgent(request, response) {
      const { name } = request.params;
      const agent = context.agents.get(name);
      if (!agent) {
        const there = all.map((one) => one.name).join(', ');
        const shown = JSON.stringify(name.slice(0, 200));
        throw new ApiError('agent_not_found', `There is no agent ${shown}. There are: ${there}.`);
      }
      response.json(told(agent));
    },
  };
}
