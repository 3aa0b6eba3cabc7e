import path from 'node:path';
import type { Agent } from '#contract/agent';
import { didYouMean } from '#contract/nearest';
import { teamOf } from '#core/team';
import { type Draft, fieldOf, itemsOf, kilobytes } from './draft';

/** They are pinned into every conversation together. */
const TEAM_BYTES = 400 * 1024;

/** What is wrong between the files. */
export function checkTogether(drafts: Draft[]): void {
  for (const [at, draft] of drafts.entries()) {
    const isTwin = (other: Draft) => fieldOf(other.value, 'name') === nameOf(draft);
    const twin = isTwin(draft) && drafts.slice(0, at).find(isTwin);
    if (twin)
      draft.fault({
        path: ['name'],
        message: `there is another agent named ${nameOf(draft)}, in ${twin.file}`,
      });
    checkSubagents(draft, drafts.map(nameOf));
  }
  checkSizes(drafts);
}

/** A file that cannot be read is probably named after its agent: others may name it. */
function nameOf({ value, file }: Draft): string {
  const name = fieldOf(value, 'name');
  return typeof name === 'string' ? name : path.basename(file, '.md');
}

function checkSubagents(draft: Draft, names: string[]): void {
  const own = nameOf(draft);
  const others = [...new Set(names)].filter((name) => name !== own);
  const subagents = itemsOf(fieldOf(draft.value, 'subagents'));
  for (const [at, name] of subagents.entries()) {
    if (typeof name !== 'string') continue;
    const fault = (message: string) => draft.fault({ path: ['subagents', at], message });
    const there = others.length > 0 ? `the other agents are: ${others.join(', ')}` : 'there are no others';
    if (name === own) fault(`an agent cannot delegate to itself; ${there}`);
    else if (!others.includes(name)) fault(`there is no agent ${name}; ${there}${didYouMean(name, others)}`);
    else if (subagents.indexOf(name) < at) fault(`${name} is named twice; name it once`);
  }
}

function checkSizes(drafts: Draft[]): void {
  const agents = new Map(
    drafts.flatMap(({ agent }): [string, Agent][] => (agent ? [[agent.name, agent]] : [])),
  );
  for (const { agent, fault } of drafts) {
    if (!agent) continue;
    // As it is kept: where a circle leads back to the agent, it is there twice.
    const size = Buffer.byteLength(JSON.stringify([agent, teamOf(agent, (name) => agents.get(name))]));
    if (size <= TEAM_BYTES) continue;
    fault({
      path: ['subagents'],
      message: `the agent and all it can delegate to are at most 400 KB together, and these are ${kilobytes(size)}; shorten their prompts, or name fewer`,
    });
  }
}
