import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Agent, AgentFile } from '#contract/agent';
import type { SchemaIssue } from '#contract/error-messages';
import { explainMissingFrontMatter, parseFrontMatter } from './front-matter';
import { findYamlIssues } from './validation/schema-issues';

/** What is wrong in a file, at which line of it and in which field. */
export interface AgentFileIssue {
  line: number;
  path: string;
  message: string;
}

/** A file on its way to being an agent, with all that is wrong with it. */
export interface AgentDraft {
  file: string;
  /** The front matter as written; undefined where it cannot be read. */
  value: unknown;
  /** Undefined where its fields have faults. */
  agent: Agent | undefined;
  faults: AgentFileIssue[];
  fault(fault: SchemaIssue): void;
}

/** The path of what is wrong with no one field. */
const FRONT_MATTER_PATH = 'front matter';
export const MAX_PROMPT_BYTES = 100 * 1024;

export function parseAgentFile(folder: string, file: string): AgentDraft {
  const text = readFileText(path.join(folder, file));
  if (typeof text !== 'string') {
    const why = text.code === 'EISDIR' ? 'it is a folder' : text.message;
    return createUnreadableDraft(file, `cannot be read: ${why}`);
  }
  const matter = parseFrontMatter(text);
  if (!matter) return createUnreadableDraft(file, explainMissingFrontMatter(text));
  const { value, prompt, lineOf, promptLine } = matter;
  const faults: AgentFileIssue[] = matter.faults.map((one) => ({ ...one, path: FRONT_MATTER_PATH }));
  const fault: AgentDraft['fault'] = ({ path: at, message }) => {
    faults.push({ line: lineOf(at), path: at.join('.') || FRONT_MATTER_PATH, message });
  };
  const ofPrompt = findPromptIssue(prompt);
  if (ofPrompt) faults.push({ line: promptLine, path: 'prompt', message: ofPrompt });
  for (const found of value === undefined ? [] : findYamlIssues(AgentFile, value)) fault(found);
  const fields = AgentFile.safeParse(value).data;
  return { file, value, agent: fields && { ...fields, prompt }, faults, fault };
}

function findPromptIssue(prompt: string): string | undefined {
  if (prompt === '') return "write the agent's prompt below the front matter";
  const size = Buffer.byteLength(prompt);
  return size > MAX_PROMPT_BYTES ? `is at most 100 KB, and this is ${formatKilobytes(size)}` : undefined;
}

export function formatKilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}

function createUnreadableDraft(file: string, message: string): AgentDraft {
  const faults = [{ line: 1, path: '', message }];
  const fault: AgentDraft['fault'] = (found) => void faults.push({ line: 1, path: '', message: found.message });
  return { file, value: undefined, agent: undefined, faults, fault };
}

function readFileText(file: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
