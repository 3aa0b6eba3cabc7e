import path from 'node:path';
import { getYamlField, getYamlList } from '#agents/front-matter';
import { type AgentDraft, formatKilobytes } from '#agents/parse-agent-file';
import type { Agent } from '#contract/agent';
import { didYouMean } from '#contract/error-messages';
import { collectSubagents } from '#core/subagents';

/** They are pinned into every conversation together. */
const MAX_TEAM_BYTES = 400 * 1024;

/** What is wrong between the files. */
export function validateAgentsTogether(drafts: AgentDraft[]): void {
  for (const [at, draft] of drafts.entries()) {
    const isTwin = (other: AgentDraft) => getYamlField(other.value, 'name') === draftNameOf(draft);
    const twin = isTwin(draft) && drafts.slice(0, at).find(isTwin);
    if (twin)
      draft.fault({
        path: ['name'],
        message: `there is another agent named ${draftNameOf(draft)}, in ${twin.file}`,
      });
    validateSubagents(draft, drafts.map(draftNameOf));
  }
  validateTeamSizes(drafts);
}

/** A file that cannot be read is probably named after its agent: others may name it. */
function draftNameOf({ value, file }: AgentDraft): string {
  const name = getYamlField(value, 'name');
  return typeof name === 'string' ? name : path.basename(file, '.md');
}

function validateSubagents(draft: AgentDraft, names: string[]): void {
  const own = draftNameOf(draft);
  const others = [...new Set(names)].filter((name) => name !== own);
  const subagents = getYamlList(getYamlField(draft.value, 'subagents'));
  for (const [at, name] of subagents.entries()) {
    if (typeof name !== 'string') continue;
    const fault = (message: string) => draft.fault({ path: ['subagents', at], message });
    const there = others.length > 0 ? `the other agents are: ${others.join(', ')}` : 'there are no others';
    if (name === own) fault(`an agent cannot delegate to itself; ${there}`);
    else if (!others.includes(name)) fault(`there is no agent ${name}; ${there}${didYouMean(name, others)}`);
    else if (subagents.indexOf(name) < at) fault(`${name} is named twice; name it once`);
  }
}

function validateTeamSizes(drafts: AgentDraft[]): void {
  const agents = new Map(drafts.flatMap(({ agent }): [string, Agent][] => (agent ? [[agent.name, agent]] : [])));
  for (const { agent, fault } of drafts) {
    if (!agent) continue;
    // As it is kept: where a circle leads back to the agent, it is there twice.
    const size = Buffer.byteLength(JSON.stringify([agent, collectSubagents(agent, (name) => agents.get(name))]));
    if (size <= MAX_TEAM_BYTES) continue;
    fault({
      path: ['subagents'],
      message: `the agent and all it can delegate to are at most 400 KB together, and these are ${formatKilobytes(size)}; shorten their prompts, or name fewer`,
    });
  }
}
