import { toAgentView } from '#agents/agent-view';
import { type AgentsByName, InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { findAgentWarnings } from '#agents/validation/warnings';
import type { AdminContext, AdminHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { wrapText } from '#cli/render/text';
import type { Agent, AgentView, McpServerConfig } from '#contract/agent';
import { MAX_SUBAGENT_DEPTH } from '#core/subagents';
import { readConfig } from '#infra/config';
import { builtInTools } from '#tools/registry';
import { selectToolsFor } from '#tools/tool-set';

/** Checks the agents of the configured folder, and lists them. */
export const runCheckAgents: AdminHandler = async (context) => {
  try {
    listAgents(context);
    return EXIT.completed;
  } catch (error) {
    if (!(context.isJson && error instanceof InvalidAgentsError)) throw error;
    context.terminal.printJson({ items: [], warnings: [], faults: error.issues });
    return EXIT.failed;
  }
};

function listAgents({ terminal, env, isJson }: AdminContext): void {
  const { agentsFolder: folder, environment, publicUrl = '' } = readConfig(env);
  const agents = loadAgents(folder, builtInTools);
  const all = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const toolNames = (agent: Agent) => selectToolsFor(agent, builtInTools).map(({ name }) => name);
  const views = all.map((agent) => toAgentView(agent, publicUrl, toolNames(agent)));
  const warnings = all.flatMap((agent) => findAgentWarnings(agent, environment));
  if (isJson) return terminal.printJson({ items: views, warnings, faults: [] });
  terminal.print('', `  ${all.length} agent${all.length === 1 ? '' : 's'} in ${folder}, without faults:`, '');
  for (const view of views) terminal.print(...formatAgent(view, agents, terminal.width()), '');
  if (warnings.length > 0) terminal.printError('  Mind:', ...warnings.map((warning) => `    ${warning}`), '');
}

const LABEL_WIDTH = 12;

/** Formats an agent for people. */
function formatAgent(view: AgentView, agents: AgentsByName, width: number): string[] {
  const agent = agents.get(view.name);
  const row = (label: string, text: string) =>
    text === '' ? [] : wrapText(text, width, { first: `    ${label.padEnd(LABEL_WIDTH)}` });
  const rows = (label: string, texts: string[]) => texts.flatMap((text, index) => row(index === 0 ? label : '', text));
  const mcpServers = Object.entries(agent?.mcp ?? {});
  return [
    `  ${view.name}`,
    ...wrapText(view.description, width, { first: '    ' }),
    ...row('model', view.model),
    ...row('tools', formatTools(view)),
    ...rows('sub-agents', formatSubagentTree(view.name, agents, [view.name])),
    ...rows(
      'MCP',
      mcpServers.map(([name, server]) => `${name}: ${formatMcpServer(server)}`),
    ),
    ...row('asks', view.canAsk ? formatQuestionPolicy(view.questions) : 'nobody'),
    ...row('webhook', view.trigger ? formatTrigger(view, agent) : ''),
    ...row('tells', agent?.callbackUrl ?? ''),
  ];
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
function formatQuestionPolicy(policy: AgentView['questions']): string {
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
