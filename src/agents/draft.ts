import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Agent, AgentFile } from '#contract/agent';
import type { Fault } from '#contract/sentences';
import { readFrontMatter, whyNoFrontMatter } from './front-matter';
import { faultsOf } from './sentences';

/** What is wrong in a file, at which line of it and in which field. */
export interface FileFault {
  line: number;
  path: string;
  message: string;
}

/** A file on its way to being an agent, with all that is wrong with it. */
export interface Draft {
  file: string;
  /** The front matter as written; undefined where it cannot be read. */
  value: unknown;
  /** Undefined where its fields have faults. */
  agent: Agent | undefined;
  faults: FileFault[];
  fault(fault: Fault): void;
}

/** The path of what is wrong with no one field. */
const WHOLE = 'front matter';
export const PROMPT_BYTES = 100 * 1024;

export function readDraft(folder: string, file: string): Draft {
  const text = textOf(path.join(folder, file));
  if (typeof text !== 'string') {
    const why = text.code === 'EISDIR' ? 'it is a folder' : text.message;
    return unreadable(file, `cannot be read: ${why}`);
  }
  const matter = readFrontMatter(text);
  if (!matter) return unreadable(file, whyNoFrontMatter(text));
  const { value, prompt, lineOf, promptLine } = matter;
  const faults: FileFault[] = matter.faults.map((one) => ({ ...one, path: WHOLE }));
  const fault: Draft['fault'] = ({ path: at, message }) => {
    faults.push({ line: lineOf(at), path: at.join('.') || WHOLE, message });
  };
  const ofPrompt = promptFault(prompt);
  if (ofPrompt) faults.push({ line: promptLine, path: 'prompt', message: ofPrompt });
  for (const found of value === undefined ? [] : faultsOf(AgentFile, value)) fault(found);
  const fields = AgentFile.safeParse(value).data;
  return { file, value, agent: fields && { ...fields, prompt }, faults, fault };
}

function promptFault(prompt: string): string | undefined {
  if (prompt === '') return "write the agent's prompt below the front matter";
  const size = Buffer.byteLength(prompt);
  return size > PROMPT_BYTES ? `is at most 100 KB, and this is ${kilobytes(size)}` : undefined;
}

export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}

function unreadable(file: string, message: string): Draft {
  const faults = [{ line: 1, path: '', message }];
  const fault: Draft['fault'] = (found) => void faults.push({ line: 1, path: '', message: found.message });
  return { file, value: undefined, agent: undefined, faults, fault };
}

function textOf(file: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** A field of a group, if that is what it is. */
export function fieldOf(value: unknown, name: string): unknown {
  return isGroup(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The items of a list, if that is what it is. */
export function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
