import { parseArgs } from 'node:util';
import { toAgentView } from '#agents/agent-view';
import { type AgentIssue, type AgentsByName, InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { findAgentWarnings } from '#agents/validation/warnings';
import type { Agent, AgentView, McpServerConfig } from '#contract/agent';
import { MAX_SUBAGENT_DEPTH } from '#core/subagents';
import { ConfigError, readConfig } from '#infra/config';
import { builtInTools } from '#tools/registry';
import { selectToolsFor } from '#tools/tool-set';

const LINE_WIDTH = 100;
const LABEL_WIDTH = 12;

/** An agent as a person likes to read it. */
function formatAgent(view: AgentView, agents: AgentsByName): string {
  const agent = agents.get(view.name);
  const lines = [
    formatRow('model', view.model),
    formatRow('tools', formatTools(view)),
    ...formatSubagentTree(view.name, agents, [view.name]).map((line, at) =>
      formatRow(at === 0 ? 'sub-agents' : '', line),
    ),
    ...Object.entries(agent?.mcp ?? {}).map(([name, server], at) =>
      formatRow(at === 0 ? 'MCP' : '', `${name}: ${formatMcpServer(server)}`),
    ),
    formatRow('asks', view.canAsk ? formatQuestionPolicy(view.questions) : 'nobody'),
    formatRow('webhook', view.trigger ? formatTrigger(view, agent) : ''),
    formatRow('tells', agent?.callbackUrl ?? ''),
  ];
  return [`  ${view.name}`, ...wrapText(view.description, 4), ...lines.filter((line) => line !== '')].join('\n');
}

function formatRow(label: string, text: string): string {
  if (text === '') return '';
  const indent = 4 + LABEL_WIDTH;
  return wrapText(text, indent)
    .map((line, at) => (at === 0 ? `    ${label.padEnd(LABEL_WIDTH)}${line.slice(indent)}` : line))
    .join('\n');
}

function wrapText(text: string, indent: number): string[] {
  const lines: string[] = [];
  // The blanks before a branch of the tree stay.
  for (const word of text.split(/(?<=\S) /)) {
    const last = lines.at(-1);
    if (last === undefined || indent + last.length + word.length >= LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`);
}

/** Those it may use, and of MCP servers' those that wait for a "yes": they are known before the server is asked. */
function formatTools({ tools, requiresConfirmation }: AgentView): string {
  const all = [...tools, ...requiresConfirmation.filter((tool) => !tools.includes(tool))];
  return all.map((tool) => (requiresConfirmation.includes(tool) ? `${tool} (asks first)` : tool)).join(', ');
}

/** Who it can delegate to, and they in turn. */
function formatSubagentTree(name: string, agents: AgentsByName, above: string[]): string[] {
  const subagents = agents.get(name)?.subagents ?? [];
  return subagents.flatMap((one, at) => {
    const isLast = at === subagents.length - 1;
    const isKnown = above.includes(one) || above.length + 1 >= MAX_SUBAGENT_DEPTH;
    const below = isKnown ? [] : formatSubagentTree(one, agents, [...above, one]);
    const more = above.includes(one) ? ' (and so on)' : '';
    return [`${isLast ? '└' : '├'} ${one}${more}`, ...below.map((line) => `${isLast ? ' ' : '│'} ${line}`)];
  });
}

function formatMcpServer(server: McpServerConfig): string {
  const only = server.tools ? ` (only ${server.tools.join(', ')})` : '';
  return `${'url' in server ? server.url : [server.command, ...server.args].join(' ')}${only}`;
}

const TIMEOUT_LABELS = {
  continue: 'then goes on without an answer',
  default: 'then takes the default it named',
  fail: 'then gives up',
} as const;

/** The question policy in words: `waits 3d, then goes on; reminds after 4h and 1d; after 2d also asks maria`. */
export function formatQuestionPolicy(policy: AgentView['questions']): string {
  const { timeout, onTimeout, remind, escalate, notify, assignees } = policy;
  const waits =
    timeout === 'never' || onTimeout === 'wait' ? 'waits for ever' : `waits ${timeout}, ${TIMEOUT_LABELS[onTimeout]}`;
  return [
    ...(assignees.length > 0 ? [`${joinWithAnd(assignees)} may answer, too`] : []),
    waits,
    ...(remind.length > 0 ? [`reminds after ${joinWithAnd(remind)}`] : []),
    ...escalate.map(({ after, to }) => `after ${after} also asks ${joinWithAnd(to)}`),
    ...(notify.length > 0 ? [`tells of it by ${joinWithAnd(notify)}`] : []),
  ].join('; ');
}

function joinWithAnd(words: string[]): string {
  const named = words.map((word) => (word === '*' ? 'everybody' : word));
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

function formatTrigger({ trigger }: AgentView, agent: Agent | undefined): string {
  return `POST ${trigger?.url}, ${trigger?.signed ? `signed by ${agent?.trigger?.secret}` : 'not signed'}`;
}

const USAGE = `Checks the agents in PARLEY_AGENTS and lists them; with faults it names them all and ends with 1.

  npm run agents
  npm run agents -- --json   the same for programs: {items, warnings, faults}`;

function checkAndListAgents(isJson: boolean): void {
  const { agents: folder, environment, publicUrl = '' } = readConfig();
  const agents = loadAgents(folder, builtInTools);
  const all = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const views = all.map((agent) =>
    toAgentView(
      agent,
      publicUrl,
      selectToolsFor(agent, builtInTools).map(({ name }) => name),
    ),
  );
  const warnings = all.flatMap((agent) => findAgentWarnings(agent, environment));
  if (isJson) return console.log(toJson({ items: views, warnings, faults: [] }));
  const count = `${all.length} agent${all.length === 1 ? '' : 's'} in ${folder}, without faults:`;
  console.log(`\n  ${[count, ...views.map((view) => formatAgent(view, agents).trimStart())].join('\n\n  ')}\n`);
  if (warnings.length > 0) console.warn(`  Mind:\n${warnings.map((one) => `    ${one}`).join('\n')}\n`);
}

const toJson = (told: { items: AgentView[]; warnings: string[]; faults: AgentIssue[] }) =>
  JSON.stringify(told, null, 2);

function reportFailure(error: unknown, isJson: boolean): void {
  const isOurs = error instanceof InvalidAgentsError || error instanceof ConfigError;
  process.exitCode = isOurs ? 1 : 2;
  if (isJson && error instanceof InvalidAgentsError)
    return console.log(toJson({ items: [], warnings: [], faults: error.faults }));
  console.error(isOurs ? `\n${error.message}\n` : `${(error as Error).message}\n\n${USAGE}`);
}

let isJson = false;
try {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, help: { type: 'boolean' } } });
  isJson = values.json ?? false;
  if (values.help) console.log(USAGE);
  else checkAndListAgents(isJson);
} catch (error) {
  reportFailure(error, isJson);
}
