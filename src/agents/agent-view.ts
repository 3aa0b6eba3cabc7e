import { type Agent, type AgentView, serializeQuestionPolicy } from '#contract/agent';
import { canAskPeople } from '#core/tools/grants';
import { maxReplyTokens } from '#core/transcript/token-budget';

/** Returns the public view of an agent, without its prompt. `tools` are the names of the tools that it may use. */
export function toAgentView(agent: Agent, url: string, tools: string[]): AgentView {
  const { name, description, model, thinking, effort, fallbackModel, questions, budget, visibleTo, trigger } = agent;
  const grants = agent.tools;
  return {
    name,
    description,
    model,
    maxTokens: maxReplyTokens(agent),
    ...(thinking && { thinking }),
    ...(effort && { effort }),
    ...(fallbackModel && { fallbackModel }),
    tools,
    requiresConfirmation: grants.flatMap((grant) => (grant.requiresConfirmation ? [grant.name] : [])),
    subagents: agent.subagents,
    mcp: Object.keys(agent.mcp),
    canAsk: canAskPeople(agent),
    questions: serializeQuestionPolicy(questions),
    ...(budget ? { budget } : {}),
    visibleTo,
    trigger: trigger ? { url: `${url}/v1/hooks/${name}`, signed: trigger.secret !== undefined } : null,
  };
}
