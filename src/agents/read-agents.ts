import { readdirSync } from 'node:fs';
import type { Agent } from '#contract/agent';
import type { Tool } from '#tools/tool';
import { type Draft, type FileFault, readDraft } from './draft';
import { policyFaults } from './policy-checks';
import { serverFaults } from './server-checks';
import { checkTogether } from './team-checks';
import { toolFaults } from './tool-checks';

export type Agents = ReadonlyMap<string, Agent>;

/** Where there is no file to name there is no line either. */
export interface Found extends Omit<FileFault, 'line'> {
  file: string;
  line: number | null;
}

/** What is wrong with the agents' files: every fault, with file and line. */
export class AgentFault extends Error {
  constructor(
    message: string,
    readonly faults: Found[],
  ) {
    super(message);
  }
}

/** Read every agent in the folder, or name every fault in any of them. */
export function readAgents(folder: string, tools: Tool[]): Agents {
  const drafts = markdownFiles(folder).map((file) => readDraft(folder, file));
  if (drafts.length === 0)
    throw folderFault(
      folder,
      `There are no agents in ${folder}. Put a .md file there, or set PARLEY_AGENTS.`,
    );
  for (const draft of drafts)
    for (const fault of [...serverFaults(draft), ...toolFaults(draft, tools), ...policyFaults(draft)])
      draft.fault(fault);
  checkTogether(drafts);
  const faults = drafts.flatMap(found);
  if (faults.length > 0)
    throw new AgentFault(`Agents in ${folder} have faults:\n${faults.map(written).join('\n')}`, faults);
  return new Map(drafts.flatMap(({ agent }): [string, Agent][] => (agent ? [[agent.name, agent]] : [])));
}

/** What is here to be read; nothing where there are no files, or they have faults: a worker does without. */
export function agentsHere(folder: string, tools: Tool[]): Agent[] {
  try {
    return [...readAgents(folder, tools).values()];
  } catch {
    return [];
  }
}

function markdownFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'is not there' : code === 'ENOTDIR' ? 'is no folder' : `says: ${message}`;
    throw folderFault(
      folder,
      `The folder of agents cannot be read: PARLEY_AGENTS is ${folder}, which ${why}.`,
    );
  }
}

function folderFault(folder: string, message: string): AgentFault {
  return new AgentFault(message, [{ file: folder, line: null, path: '', message }]);
}

function found({ file, faults }: Draft): Found[] {
  return [...faults].sort((a, b) => a.line - b.line).map((fault) => ({ file, ...fault }));
}

function written({ file, line, path, message }: Found): string {
  return `  ${file}:${line}: ${path ? `${path}: ` : ''}${message}`;
}
