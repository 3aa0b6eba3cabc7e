import { type Agent, type AgentView, writePolicy } from '../contract/agent';
import { canAsk } from '../core/permission';
import type { Context } from './context';
import { Refusal } from './errors';
import type { Handlers } from './routes';

export function agents(context: Context): Pick<Handlers, 'listAgents' | 'getAgent'> {
  // Their files may be named otherwise.
  const all = [...context.agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    listAgents(_request, response) {
      response.json({ items: all.map((agent) => viewOf(agent, context)) });
    },
    getAgent(request, response) {
      const { name } = request.params;
      const agent = context.agents.get(name);
      if (!agent) {
        const there = all.map((one) => one.name).join(', ');
        const shown = JSON.stringify(name.slice(0, 200));
        throw new Refusal('agent_not_found', `There is no agent ${shown}. There are: ${there}.`);
      }
      response.json(viewOf(agent, context));
    },
  };
}

/** What whoever starts it should know; its prompt is its own. */
function viewOf(agent: Agent, { url, tools }: Context): AgentView {
  const { name, description, model, maxTokens, questions, visibleTo, trigger } = agent;
  const entries = agent.tools ?? [];
  return {
    name,
    description,
    model,
    maxTokens,
    tools: tools(agent),
    requiresConfirmation: entries.flatMap((entry) => (entry.requiresConfirmation ? [entry.name] : [])),
    subagents: agent.subagents ?? [],
    mcp: Object.keys(agent.mcp ?? {}),
    canAsk: canAsk(agent),
    questions: writePolicy(questions),
    visibleTo,
    trigger: trigger ? { url: `${url}/v1/hooks/${name}`, signed: trigger.secret !== undefined } : null,
  };
}
