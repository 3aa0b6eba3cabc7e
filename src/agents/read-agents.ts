import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { type Agent, AgentFile } from '../contract/agent';

export type Agents = ReadonlyMap<string, Agent>;

/** What is wrong with the agents' files: every fault, with file and line. */
export class AgentFault extends Error {}

/** Read every agent in the folder, or name every fault in any of them. */
export function readAgents(folder: string): Agents {
  const agents = new Map<string, Agent>();
  const faults: string[] = [];
  for (const file of markdownFiles(folder)) {
    const read = readAgent(file, readFileSync(path.join(folder, file), 'utf8'));
    if ('faults' in read) faults.push(...read.faults);
    else if (agents.has(read.agent.name))
      faults.push(`${file}: there is another agent named ${read.agent.name}`);
    else agents.set(read.agent.name, read.agent);
  }
  if (faults.length > 0)
    throw new AgentFault(`Agents in ${folder} have faults:\n${faults.map((f) => `  ${f}`).join('\n')}`);
  if (agents.size === 0)
    throw new AgentFault(`There are no agents in ${folder}. Put a .md file there, or set PARLEY_AGENTS.`);
  return agents;
}

function markdownFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .sort();
  } catch (error) {
    throw new AgentFault(`The folder of agents cannot be read: ${(error as Error).message}`);
  }
}

type Read = { agent: Agent } | { faults: string[] };

/** Front matter between two lines of `---`, then the prompt. */
function readAgent(file: string, text: string): Read {
  const parts = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (!parts) return { faults: [`${file}:1: begin with front matter between two lines of ---`] };
  const lines = new LineCounter();
  const document = parseDocument(parts[1] ?? '', { lineCounter: lines });
  const lineOf = (offset = 0) => lines.linePos(offset).line + 1;
  if (document.errors.length > 0) {
    return {
      faults: document.errors.map(
        (error) => `${file}:${lineOf(error.pos[0])}: ${error.message.split('\n')[0]}`,
      ),
    };
  }
  const parsed = AgentFile.safeParse(document.toJS() ?? {});
  const prompt = parts[2]?.trim() ?? '';
  if (parsed.success && prompt !== '') return { agent: { ...parsed.data, prompt } };
  const faults = prompt === '' ? [`${file}: write the agent's prompt below the front matter`] : [];
  for (const issue of parsed.error?.issues ?? []) {
    const node = document.getIn(issue.path, true) as { range?: [number] } | undefined;
    faults.push(
      `${file}:${lineOf(node?.range?.[0])}: ${issue.path.join('.') || 'front matter'}: ${issue.message}`,
    );
  }
  return { faults };
}
