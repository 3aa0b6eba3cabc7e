import type { CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { sanitizeLine } from '#cli/render/sanitize';
import { layoutColumns, wrapText } from '#cli/render/text';
import type { Terminal } from '#cli/tty/terminal';
import type { AgentView } from '#contract/agent';

export const runAgents: CommandHandler = async ({ parley, terminal, isJson }, { args: [name] }) => {
  if (name !== undefined) {
    const agent = await parley.agent(name);
    if (isJson) terminal.printJson(agent);
    else terminal.print(...renderAgent(agent, terminal));
    return EXIT.completed;
  }
  const { items } = await parley.agents();
  if (isJson) terminal.printJson({ items });
  else if (!terminal.isInteractive) terminal.print(...items.map(formatAgentRow));
  else terminal.print(...renderAgentTable(items, terminal));
  return EXIT.completed;
};

function renderAgentTable(items: AgentView[], terminal: Terminal): string[] {
  const rows = items.map(({ name, description }) => [
    terminal.style.accent(sanitizeLine(name)),
    sanitizeLine(description),
  ]);
  return layoutColumns(rows, terminal.width());
}

/** Formats an agent as a tab-separated line, for scripts. */
function formatAgentRow({ name, model, description }: AgentView): string {
  return [name, model, description].map(sanitizeLine).join('\t');
}

/** Renders all properties of an agent, including its tools and question settings. */
export function renderAgent(agent: AgentView, terminal: Terminal): string[] {
  const { style } = terminal;
  const facts = agentFacts(agent).filter(([, value]) => value !== '');
  const labelWidth = Math.max(...facts.map(([name]) => name.length)) + 2;
  return [
    style.bold(sanitizeLine(agent.name)),
    ...wrapText(sanitizeLine(agent.description), terminal.width()),
    '',
    ...facts.flatMap(([name, value]) =>
      wrapText(sanitizeLine(value), terminal.width(), {
        first: style.dim(name.padEnd(labelWidth)),
        rest: ' '.repeat(labelWidth),
      }),
    ),
  ];
}

function agentFacts(agent: AgentView): [string, string][] {
  const { questions, trigger } = agent;
  return [
    ['Model', `${agent.model}, up to ${agent.maxTokens} tokens per reply`],
    ['Tools', agent.tools.join(', ')],
    ['Needs approval', agent.requiresConfirmation.join(', ')],
    ['Delegates to', agent.subagents.join(', ')],
    ['MCP servers', agent.mcp.join(', ')],
    ['Questions', agent.canAsk ? `timeout ${questions.timeout}, then: ${questions.onTimeout}` : 'never asks'],
    ['Reminders', questions.remind.map((after) => `after ${after}`).join(', ')],
    ['Escalations', questions.escalate.map(({ after, to }) => `after ${after} to ${to.join(', ')}`).join('; ')],
    ['Notifications', questions.notify.join(', ')],
    ['Answered by', questions.assignees.join(', ')],
    ['Visible to', agent.visibleTo.join(', ')],
    ['Webhook', trigger ? `${trigger.url}${trigger.signed ? ' (signed)' : ''}` : ''],
  ];
}
