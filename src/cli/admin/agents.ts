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

/** Formats an agent for people. */
function formatAgent(view: AgentView, agents: AgentsByName): string {
  const agent = agents.get(view.name);
  const lines = [
    formatRow('model', view.model),
    formatRow('tools', formatTools(view)),
    ...formatSubagentTree(view.name, agents, [view.name]).map((line, index) =>
      formatRow(index === 0 ? 'sub-agents' : '', line),
    ),
    ...Object.entries(agent?.mcp ?? {}).map(([name, server], index) =>
      formatRow(index === 0 ? 'MCP' : '', `${name}: ${formatMcpServer(server)}`),
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
    .map((line, index) => (index === 0 ? `    ${label.padEnd(LABEL_WIDTH)}${line.slice(indent)}` : line))
    .join('\n');
}

function wrapText(text: string, indent: number): string[] {
  const lines: string[] = [];
  // Keeps the indentation before a branch of the tree.
  for (const word of text.split(/(?<=\S) /)) {
    const last = lines.at(-1);
    if (last === undefined || indent + last.length + word.length >= LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`);
}

/** Formats the tools of an agent, and the MCP tools that need confirmation: those are known without asking the server. */
function formatTools({ tools, requiresConfirmation }: AgentView): string {
  const all = [...tools, ...requiresConfirmation.filter((tool) => !tools.includes(tool))];
  return all.map((tool) => (requiresConfirmation.includes(tool) ? `${tool} (asks first)` : tool)).join(', ');
}

/** Formats the agents it can delegate to, and theirs in turn. */
function formatSubagentTree(name: string, agents: AgentsByName, ancestors: string[]): string[] {
  const subagents = agents.get(name)?.subagents ?? [];
  return subagents.flatMap((subagent, index) => {
    const isLast = index === subagents.length - 1;
    const isExpandedAlready = ancestors.includes(subagent) || ancestors.length + 1 >= MAX_SUBAGENT_DEPTH;
    const descendants = isExpandedAlready ? [] : formatSubagentTree(subagent, agents, [...ancestors, subagent]);
    const suffix = ancestors.includes(subagent) ? ' (and so on)' : '';
    return [
      `${isLast ? '└' : '├'} ${subagent}${suffix}`,
      ...descendants.map((line) => `${isLast ? ' ' : '│'} ${line}`),
    ];
  });
}

function formatMcpServer(server: McpServerConfig): string {
  const toolFilter = server.tools ? ` (only ${server.tools.join(', ')})` : '';
  return `${'url' in server ? server.url : [server.command, ...server.args].join(' ')}${toolFilter}`;
}

const TIMEOUT_LABELS = {
  continue: 'then goes on without an answer',
  default: 'then takes the default it named',
  fail: 'then gives up',
} as const;

/** The question policy in words: `waits 3d, then goes on; reminds after 4h and 1d; after 2d also asks maria`. */
export function formatQuestionPolicy(policy: AgentView['questions']): string {
  const { timeout, onTimeout, remind, escalate, notify, assignees } = policy;
  const waitClause =
    timeout === 'never' || onTimeout === 'wait' ? 'waits for ever' : `waits ${timeout}, ${TIMEOUT_LABELS[onTimeout]}`;
  return [
    ...(assignees.length > 0 ? [`${joinWithAnd(assignees)} may answer, too`] : []),
    waitClause,
    ...(remind.length > 0 ? [`reminds after ${joinWithAnd(remind)}`] : []),
    ...escalate.map(({ after, to }) => `after ${after} also asks ${joinWithAnd(to)}`),
    ...(notify.length > 0 ? [`tells of it by ${joinWithAnd(notify)}`] : []),
  ].join('; ');
}

function joinWithAnd(names: string[]): string {
  const labels = names.map((name) => (name === '*' ? 'everybody' : name));
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
}

function formatTrigger({ trigger }: AgentView, agent: Agent | undefined): string {
  return `POST ${trigger?.url}, ${trigger?.signed ? `signed by ${agent?.trigger?.secret}` : 'not signed'}`;
}

const USAGE = `Checks the agents in PARLEY_AGENTS and lists them; with faults it names them all and ends with 1.

  npm run agents
  npm run agents -- --json   the same for programs: {items, warnings, faults}`;

function checkAndListAgents(isJson: boolean): void {
  const { agentsFolder: folder, environment, publicUrl = '' } = readConfig();
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
  if (warnings.length > 0) console.warn(`  Mind:\n${warnings.map((warning) => `    ${warning}`).join('\n')}\n`);
}

const toJson = (report: { items: AgentView[]; warnings: string[]; faults: AgentIssue[] }) =>
  JSON.stringify(report, null, 2);

function reportFailure(error: unknown, isJson: boolean): void {
  const isExpected = error instanceof InvalidAgentsError || error instanceof ConfigError;
  process.exitCode = isExpected ? 1 : 2;
  if (isJson && error instanceof InvalidAgentsError)
    return console.log(toJson({ items: [], warnings: [], faults: error.issues }));
  console.error(isExpected ? `\n${error.message}\n` : `${(error as Error).message}\n\n${USAGE}`);
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
