import path from 'node:path';
import { getYamlField, getYamlList } from '#agents/front-matter';
import { type AgentDraft, formatKilobytes } from '#agents/parse-agent-file';
import type { Agent } from '#contract/agent';
import { didYouMean } from '#contract/error-messages';
import { collectSubagents } from '#core/subagents';

/** Limit for an agent and its sub-agents: they are pinned into every conversation together. */
const MAX_TEAM_BYTES = 400 * 1024;

/** Validates what depends on several files: names, sub-agents, total size. */
export function validateAgentsTogether(drafts: AgentDraft[]): void {
  for (const [index, draft] of drafts.entries()) {
    const hasSameName = (other: AgentDraft) => getYamlField(other.value, 'name') === draftNameOf(draft);
    const duplicate = hasSameName(draft) && drafts.slice(0, index).find(hasSameName);
    if (duplicate)
      draft.addIssue({
        path: ['name'],
        message: `another agent is named ${draftNameOf(draft)}, in ${duplicate.file}`,
      });
    validateSubagents(draft, drafts.map(draftNameOf));
  }
  validateTeamSizes(drafts);
}

/** Returns the agent's name. An unreadable file is assumed to have its agent's, so that references stay valid. */
function draftNameOf({ value, file }: AgentDraft): string {
  const name = getYamlField(value, 'name');
  return typeof name === 'string' ? name : path.basename(file, '.md');
}

function validateSubagents(draft: AgentDraft, names: string[]): void {
  const ownName = draftNameOf(draft);
  const others = [...new Set(names)].filter((name) => name !== ownName);
  const subagents = getYamlList(getYamlField(draft.value, 'subagents'));
  for (const [index, name] of subagents.entries()) {
    if (typeof name !== 'string') continue;
    const addIssue = (message: string) => draft.addIssue({ path: ['subagents', index], message });
    const availableHint = others.length > 0 ? `other agents: ${others.join(', ')}` : 'there are no other agents';
    if (name === ownName) addIssue(`an agent cannot delegate to itself; ${availableHint}`);
    else if (!others.includes(name)) addIssue(`unknown agent ${name}; ${availableHint}${didYouMean(name, others)}`);
    else if (subagents.indexOf(name) < index) addIssue(`${name} is listed twice`);
  }
}

function validateTeamSizes(drafts: AgentDraft[]): void {
  const agents = new Map(drafts.flatMap(({ agent }): [string, Agent][] => (agent ? [[agent.name, agent]] : [])));
  for (const { agent, addIssue } of drafts) {
    if (!agent) continue;
    // Measured as it is stored: a cycle of sub-agents includes the agent itself twice.
    const size = Buffer.byteLength(JSON.stringify([agent, collectSubagents(agent, (name) => agents.get(name))]));
    if (size <= MAX_TEAM_BYTES) continue;
    addIssue({
      path: ['subagents'],
      message: `the agent and its sub-agents must be at most 400 KB in total, but have ${formatKilobytes(size)}; shorten prompts, or list fewer`,
    });
  }
}
