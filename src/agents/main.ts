import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '#config';
import type { AgentView } from '#contract/agent';
import { builtIn } from '#tools/registry';
import { toolsOf } from '#tools/toolbox';
import { listed } from './listing';
import { AgentFault, type Found, readAgents } from './read-agents';
import { viewOf } from './view';
import { warningsOf } from './warnings';

const USAGE = `Checks the agents in PARLEY_AGENTS and lists them; with faults it names them all and ends with 1.

  npm run agents
  npm run agents -- --json   the same for programs: {items, warnings, faults}`;

function run(isJson: boolean): void {
  const { agents: folder, environment, publicUrl = '' } = readConfig();
  const agents = readAgents(folder, builtIn);
  const all = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const views = all.map((agent) =>
    viewOf(
      agent,
      publicUrl,
      toolsOf(agent, builtIn).map(({ name }) => name),
    ),
  );
  const warnings = all.flatMap((agent) => warningsOf(agent, environment));
  if (isJson) return console.log(asJson({ items: views, warnings, faults: [] }));
  const count = `${all.length} agent${all.length === 1 ? '' : 's'} in ${folder}, without faults:`;
  console.log(`\n  ${[count, ...views.map((view) => listed(view, agents).trimStart())].join('\n\n  ')}\n`);
  if (warnings.length > 0) console.warn(`  Mind:\n${warnings.map((one) => `    ${one}`).join('\n')}\n`);
}

const asJson = (told: { items: AgentView[]; warnings: string[]; faults: Found[] }) =>
  JSON.stringify(told, null, 2);

function fail(error: unknown, isJson: boolean): void {
  const isOurs = error instanceof AgentFault || error instanceof ConfigError;
  process.exitCode = isOurs ? 1 : 2;
  if (isJson && error instanceof AgentFault)
    return console.log(asJson({ items: [], warnings: [], faults: error.faults }));
  console.error(isOurs ? `\n${error.message}\n` : `${(error as Error).message}\n\n${USAGE}`);
}

let isJson = false;
try {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, help: { type: 'boolean' } } });
  isJson = values.json ?? false;
  if (values.help) console.log(USAGE);
  else run(isJson);
} catch (error) {
  fail(error, isJson);
}
