import { readdirSync } from 'node:fs';
import type { Channel } from '#channels/channel';
import { findPolicyDestinationIssues } from '#channels/destinations';
import { CHANNELS } from '#channels/registry';
import type { Agent } from '#contract/agent';
import type { Tool } from '#tools/tool';
import { getYamlField } from './front-matter';
import { type AgentFileIssue, parseAgentFile } from './parse-agent-file';
import { findQuestionPolicyIssues } from './validation/question-policy';
import { validateAgentsTogether } from './validation/subagents';
import { findMcpServerIssues, findToolIssues } from './validation/tools';

export type AgentsByName = ReadonlyMap<string, Agent>;

/** An issue with its file. `line` is null if the issue concerns the whole folder. */
export interface AgentIssue extends Omit<AgentFileIssue, 'line'> {
  file: string;
  line: number | null;
}

export class InvalidAgentsError extends Error {
  constructor(
    message: string,
    readonly issues: AgentIssue[],
  ) {
    super(message);
  }
}

/** Loads every agent in the folder, or throws with every issue in any of them. */
export function loadAgents(folder: string, tools: Tool[], channels: readonly Channel[] = CHANNELS): AgentsByName {
  const drafts = listMarkdownFiles(folder).map((file) => parseAgentFile(folder, file));
  if (drafts.length === 0)
    throw createFolderError(folder, `No agents in ${folder}. Add a Markdown file there, or set PARLEY_AGENTS.`);
  for (const draft of drafts)
    for (const issue of [
      ...findMcpServerIssues(draft),
      ...findToolIssues(draft, tools),
      ...findQuestionPolicyIssues(draft),
      ...findPolicyDestinationIssues(channels, getYamlField(draft.value, 'questions'), ['questions']),
    ])
      draft.addIssue(issue);
  validateAgentsTogether(drafts);
  const issues = drafts.flatMap(({ file, issues: found }) =>
    found.sort((a, b) => a.line - b.line).map((issue) => ({ file, ...issue })),
  );
  if (issues.length > 0)
    throw new InvalidAgentsError(`Invalid agents in ${folder}:\n${issues.map(formatAgentIssue).join('\n')}`, issues);
  return new Map(drafts.flatMap(({ agent }): [string, Agent][] => (agent ? [[agent.name, agent]] : [])));
}

/** Like `loadAgents`, but empty if there are no files or any is invalid: a worker can do without. */
export function loadAgentsIfValid(folder: string, tools: Tool[]): Agent[] {
  try {
    return [...loadAgents(folder, tools).values()];
  } catch {
    return [];
  }
}

function listMarkdownFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'does not exist' : code === 'ENOTDIR' ? 'is not a folder' : message;
    throw createFolderError(folder, `Can't read the agents folder ${folder}: ${reason}. Check PARLEY_AGENTS.`);
  }
}

function createFolderError(folder: string, message: string): InvalidAgentsError {
  return new InvalidAgentsError(message, [{ file: folder, line: null, path: '', message }]);
}

function formatAgentIssue({ file, line, path, message }: AgentIssue): string {
  return `  ${file}:${line}: ${path ? `${path}: ` : ''}${message}`;
}
