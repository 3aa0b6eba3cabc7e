import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Agent, AgentFile } from '#contract/agent';
import type { SchemaIssue } from '#contract/error-messages';
import { explainMissingFrontMatter, parseFrontMatter } from './front-matter';
import { findYamlIssues } from './validation/schema-issues';

export interface AgentFileIssue {
  line: number;
  path: string;
  message: string;
}

/** A parsed agent file with its issues; not necessarily a valid agent. */
export interface AgentDraft {
  file: string;
  /** The front matter as written; `undefined` if it cannot be parsed. */
  value: unknown;
  /** `undefined` if its fields are invalid. */
  agent: Agent | undefined;
  issues: AgentFileIssue[];
  addIssue(issue: SchemaIssue): void;
}

/** Path of issues that concern no single field. */
const FRONT_MATTER_PATH = 'front matter';
export const MAX_PROMPT_BYTES = 100 * 1024;

export function parseAgentFile(folder: string, file: string): AgentDraft {
  const text = readFileText(path.join(folder, file));
  if (typeof text !== 'string') {
    const reason = text.code === 'EISDIR' ? 'it is a folder' : text.message;
    return createUnreadableDraft(file, `can't be read: ${reason}`);
  }
  const frontMatter = parseFrontMatter(text);
  if (!frontMatter) return createUnreadableDraft(file, explainMissingFrontMatter(text));
  const { value, prompt, lineOf, promptLine } = frontMatter;
  const issues: AgentFileIssue[] = frontMatter.issues.map((issue) => ({ ...issue, path: FRONT_MATTER_PATH }));
  const addIssue: AgentDraft['addIssue'] = ({ path: fieldPath, message }) => {
    issues.push({ line: lineOf(fieldPath), path: fieldPath.join('.') || FRONT_MATTER_PATH, message });
  };
  const promptIssue = findPromptIssue(prompt);
  if (promptIssue) issues.push({ line: promptLine, path: 'prompt', message: promptIssue });
  for (const issue of value === undefined ? [] : findYamlIssues(AgentFile, value)) addIssue(issue);
  const fields = AgentFile.safeParse(value).data;
  return { file, value, agent: fields && { ...fields, prompt }, issues, addIssue };
}

function findPromptIssue(prompt: string): string | undefined {
  if (prompt === '') return 'add a prompt below the front matter';
  const size = Buffer.byteLength(prompt);
  return size > MAX_PROMPT_BYTES ? `must be at most 100 KB, but has ${formatKilobytes(size)}` : undefined;
}

export function formatKilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}

function createUnreadableDraft(file: string, message: string): AgentDraft {
  const issues = [{ line: 1, path: '', message }];
  const addIssue: AgentDraft['addIssue'] = (issue) => void issues.push({ line: 1, path: '', message: issue.message });
  return { file, value: undefined, agent: undefined, issues, addIssue };
}

function readFileText(file: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
