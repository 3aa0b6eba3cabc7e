import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The agents that play: one each for what their files can say. */
export function writeAgents(folder: string, host: string): void {
  const request = (more = '') =>
    `tools:\n  - write_todos\n  - name: http_request\n    hosts: ["${host}"]${more}`;
  const guarded = request('\n    requiresConfirmation: true');
  const asking = 'questions: { perTurn: 1000, perConversation: 10000 }';
  const agents = {
    plain: [request(), asking],
    guarded: [guarded, asking],
    lead: [request(), asking, 'subagents: [helper]'],
    helper: [request(), asking],
    assistant: [],
  };
  const agentsFolder = path.join(folder, 'agents');
  mkdirSync(agentsFolder, { recursive: true });
  for (const [name, matter] of Object.entries(agents)) {
    const head = [`name: ${name}`, 'description: Plays its part.', ...matter].join('\n');
    writeFileSync(path.join(agentsFolder, `${name}.md`), `---\n${head}\n---\nYou are ${name}.\n`);
  }
}
