import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Alias, type Document, LineCounter, parseDocument, visit } from 'yaml';
import { type Agent, AgentFile } from '../contract/agent';

export type Agents = ReadonlyMap<string, Agent>;

/** What is wrong with the agents' files: every fault, with file and line. */
export class AgentFault extends Error {}

/** Read every agent in the folder, or name every fault in any of them. */
export function readAgents(folder: string): Agents {
  const agents = new Map<string, Agent>();
  const faults: string[] = [];
  for (const file of markdownFiles(folder)) {
    const read = readAgent(file, textOf(path.join(folder, file)));
    if ('faults' in read) faults.push(...read.faults);
    else if (agents.has(read.agent.name))
      faults.push(`${file}:1: there is another agent named ${read.agent.name}`);
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

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AgentFault(`${file} cannot be read: ${(error as Error).message}`);
  }
}

type Read = { agent: Agent } | { faults: string[] };

/** Front matter between two lines of `---`, then the prompt. */
function readAgent(file: string, text: string): Read {
  const parts = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (!parts) return { faults: [`${file}:1: begin with front matter between two lines of ---`] };
  const [, matter = '', body = ''] = parts;
  const faults: string[] = [];
  const parsed = readMatter(matter, (line, message) => faults.push(`${file}:${line}: ${message}`));
  const prompt = body.trim();
  if (prompt === '')
    faults.push(`${file}:${text.split('\n').length}: write the agent's prompt below the front matter`);
  return parsed && faults.length === 0 ? { agent: { ...parsed, prompt } } : { faults };
}

function readMatter(matter: string, fault: (line: number, message: string) => void) {
  const lines = new LineCounter();
  const document = parseDocument(matter, { lineCounter: lines });
  // The line of --- comes first.
  const lineOf = (offset = 0) => lines.linePos(offset).line + 1;
  for (const error of document.errors) fault(lineOf(error.pos[0]), error.message.split('\n')[0] ?? '');
  if (document.errors.length > 0) return undefined;
  const dangling = danglingOf(document);
  for (const alias of dangling) fault(lineOf(alias.range?.[0]), `*${alias.source} refers to nothing`);
  if (dangling.length > 0) return undefined;
  const parsed = AgentFile.safeParse(document.toJS() ?? {});
  for (const issue of parsed.error?.issues ?? []) {
    for (const { path: at, message } of issuesOf(issue)) {
      fault(lineOf(placeOf(document, at)), `${at.join('.') || 'front matter'}: ${message}`);
    }
  }
  return parsed.data;
}

/** The parser lets a reference to nothing pass; reading it would throw. */
function danglingOf(document: Document): Alias[] {
  const dangling: Alias[] = [];
  visit(document, { Alias: (_key, alias) => void (alias.resolve(document) ?? dangling.push(alias)) });
  return dangling;
}

type Found = NonNullable<ReturnType<typeof AgentFile.safeParse>['error']>['issues'][number];
type Issue = { path: PropertyKey[]; message: string };

function issuesOf(issue: Found): Issue[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'there is no such field' }));
}

/** Where in the text that value stands; for one that is missing, what should hold it. */
function placeOf(document: Document, at: PropertyKey[]): number | undefined {
  for (let depth = at.length; depth > 0; depth -= 1) {
    const node = document.getIn(at.slice(0, depth), true) as { range?: [number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return undefined;
}
