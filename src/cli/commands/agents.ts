import type { Context, Run } from '#cli/context';
import { EXIT } from '#cli/exit';
import { safeLine } from '#cli/text/safe';
import { table } from '#cli/text/table';
import { wrap } from '#cli/text/wrap';
import type { AgentView } from '#contract/agent';

export const run: Run = async (context, { words: [name] }) => {
  const { parley, terminal, isJson } = context;
  if (name !== undefined) {
    const agent = await parley.agent(name);
    if (isJson) terminal.printJson(agent);
    else terminal.print(...inFull(agent, context));
    return EXIT.completed;
  }
  const { items } = await parley.agents();
  if (isJson) terminal.printJson({ items });
  else if (!terminal.isInteractive) terminal.print(...items.map(asFields));
  else terminal.print(...asTable(items, context));
  return EXIT.completed;
};

function asTable(items: AgentView[], { terminal }: Context): string[] {
  const rows = items.map(({ name, description }) => [
    terminal.style.accent(safeLine(name)),
    safeLine(description),
  ]);
  return table(rows, terminal.width());
}

/** For other programs, with tabs between. */
function asFields({ name, model, description }: AgentView): string {
  return [name, model, description].map(safeLine).join('\t');
}

function inFull(agent: AgentView, { terminal }: Context): string[] {
  const { style } = terminal;
  const facts = factsOf(agent).filter(([, said]) => said !== '');
  const room = Math.max(...facts.map(([name]) => name.length)) + 2;
  return [
    style.bold(safeLine(agent.name)),
    ...wrap(safeLine(agent.description), terminal.width()),
    '',
    ...facts.flatMap(([name, said]) =>
      wrap(safeLine(said), terminal.width(), { first: style.dim(name.padEnd(room)), rest: ' '.repeat(room) }),
    ),
  ];
}

function factsOf(agent: AgentView): [string, string][] {
  const { questions, trigger } = agent;
  return [
    ['Model', `${agent.model}, up to ${agent.maxTokens} tokens a reply`],
    ['Tools', agent.tools.join(', ')],
    ['Confirmed', agent.requiresConfirmation.join(', ')],
    ['Delegates to', agent.subagents.join(', ')],
    ['MCP servers', agent.mcp.join(', ')],
    ['Asks', agent.canAsk ? `waits ${questions.timeout}, then: ${questions.onTimeout}` : 'never'],
    ['Reminds', questions.remind.map((after) => `after ${after}`).join(', ')],
    ['Escalates', questions.escalate.map(({ after, to }) => `after ${after} to ${to.join(', ')}`).join('; ')],
    ['Notifies', questions.notify.join(', ')],
    ['Answered by', questions.assignees.join(', ')],
    ['Visible to', agent.visibleTo.join(', ')],
    ['Webhook', trigger ? `${trigger.url}${trigger.signed ? ' (signed)' : ''}` : ''],
  ];
}
