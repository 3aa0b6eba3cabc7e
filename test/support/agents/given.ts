import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentFault, readAgents } from '#agents/read-agents';
import { builtIn } from '#tools/registry';
import type { Tool } from '#tools/tool';

export const tools: Tool[] = builtIn;

export interface Folder {
  path: string;
  write(file: string, ...lines: string[]): void;
  /** The lines that say what is wrong. */
  faults(): string[];
  remove(): void;
}

export function folderOfAgents(): Folder {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-agents-'));
  return {
    path: folder,
    write: (file, ...lines) => writeFileSync(path.join(folder, file), lines.join('\n')),
    faults() {
      try {
        readAgents(folder, tools);
      } catch (error) {
        expect(error).toBeInstanceOf(AgentFault);
        const [, ...faults] = (error as Error).message.split('\n');
        return faults.map((line) => line.trim());
      }
      return [];
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A file with these lines in its front matter, after two that every agent has. */
export const agentFile = (name: string, ...lines: string[]) => [
  '---',
  `name: ${name}`,
  'description: Does things.',
  ...lines,
  '---',
  'Do things.',
];
