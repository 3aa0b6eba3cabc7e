import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { builtInTools } from '#tools/registry';
import type { Tool } from '#tools/tool';

export const knownTools: Tool[] = builtInTools;

export interface AgentsFolder {
  path: string;
  write(file: string, ...lines: string[]): void;
  /** The lines of the error message; empty if all agents are valid. */
  errors(): string[];
  remove(): void;
}

export function createAgentsFolder(): AgentsFolder {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-agents-'));
  return {
    path: folder,
    write: (file, ...lines) => writeFileSync(path.join(folder, file), lines.join('\n')),
    errors() {
      try {
        loadAgents(folder, knownTools);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidAgentsError);
        const [, ...faults] = (error as Error).message.split('\n');
        return faults.map((line) => line.trim());
      }
      return [];
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The lines of an agent file with these lines in its front matter. */
export const agentFileLines = (name: string, ...lines: string[]) => [
  '---',
  `name: ${name}`,
  'description: Does things.',
  ...lines,
  '---',
  'Do things.',
];
