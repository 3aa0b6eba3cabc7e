import { toAgentView } from '#agents/agent-view';
import type { ApiDeps } from '#api/dependencies';
import { mayStart, type Principal } from '#api/middleware/authentication';
import { ApiError } from '#api/middleware/errors';
import type { OperationHandlers } from '#api/router';
import type { Agent, AgentView } from '#contract/agent';
import { hasScope } from '#contract/permissions';

export function agentRoutes(deps: ApiDeps): Pick<OperationHandlers, 'listAgents' | 'getAgent'> {
  // Sort by agent name, as file names may differ.
  const sorted = [...deps.agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const toView = (agent: Agent, caller: Principal) => {
    const view = toAgentView(agent, deps.url, deps.toolNames(agent));
    return hasScope(caller, 'conversations:write') ? view : withoutPeople(view);
  };
  return {
    listAgents({ caller }, response) {
      const items = sorted.filter(({ name }) => mayStart(caller, name)).map((agent) => toView(agent, caller));
      response.json({ items });
    },
    getAgent({ params: { name }, caller }, response) {
      const agent = mayStart(caller, name) ? deps.agents.get(name) : undefined;
      if (!agent) {
        const startable = sorted.filter((entry) => mayStart(caller, entry.name));
        const names = startable.map((entry) => entry.name).join(', ');
        const shown = JSON.stringify(name.slice(0, 200));
        throw new ApiError('agent_not_found', `No agent named ${shown}. Available: ${names}.`);
      }
      response.json(toView(agent, caller));
    },
  };
}

/** A caller who starts no conversations need not know whom the agents ask. */
function withoutPeople(view: AgentView): AgentView {
  return { ...view, visibleTo: [], questions: { ...view.questions, assignees: [], escalate: [], notify: [] } };
}
