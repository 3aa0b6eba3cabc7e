import type { Agent, AgentView, McpServer } from '#contract/agent';
import { MAX_DEPTH } from '#core/delegation';
import type { Agents } from './read-agents';

const WIDTH = 100;
const LABEL = 12;

/** An agent as a person likes to read it. */
export function listed(view: AgentView, agents: Agents): string {
  const agent = agents.get(view.name);
  const lines = [
    row('model', view.model),
    row('tools', toolsIn(view)),
    ...treeOf(view.name, agents, [view.name]).map((line, at) => row(at === 0 ? 'sub-agents' : '', line)),
    ...Object.entries(agent?.mcp ?? {}).map(([name, server], at) =>
      row(at === 0 ? 'MCP' : '', `${name}: ${reached(server)}`),
    ),
    row('asks', view.canAsk ? asking(view.questions) : 'nobody'),
    row('webhook', view.trigger ? webhook(view, agent) : ''),
    row('tells', agent?.callbackUrl ?? ''),
  ];
  return [`  ${view.name}`, ...wrapped(view.description, 4), ...lines.filter((line) => line !== '')].join(
    '\n',
  );
}

function row(label: string, text: string): string {
  if (text === '') return '';
  const indent = 4 + LABEL;
  return wrapped(text, indent)
    .map((line, at) => (at === 0 ? `    ${label.padEnd(LABEL)}${line.slice(indent)}` : line))
    .join('\n');
}

function wrapped(text: string, indent: number): string[] {
  const lines: string[] = [];
  // The blanks before a branch of the tree stay.
  for (const word of text.split(/(?<=\S) /)) {
    const last = lines.at(-1);
    if (last === undefined || indent + last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`);
}

/** Those it may use, and of MCP servers' those that wait for a "yes": they are known before the server is asked. */
function toolsIn({ tools, requiresConfirmation }: AgentView): string {
  const all = [...tools, ...requiresConfirmation.filter((tool) => !tools.includes(tool))];
  return all.map((tool) => (requiresConfirmation.includes(tool) ? `${tool} (asks first)` : tool)).join(', ');
}

/** Who it can delegate to, and they in turn. */
function treeOf(name: string, agents: Agents, above: string[]): string[] {
  const subagents = agents.get(name)?.subagents ?? [];
  return subagents.flatMap((one, at) => {
    const isLast = at === subagents.length - 1;
    const isKnown = above.includes(one) || above.length + 1 >= MAX_DEPTH;
    const below = isKnown ? [] : treeOf(one, agents, [...above, one]);
    const more = above.includes(one) ? ' (and so on)' : '';
    return [`${isLast ? '└' : '├'} ${one}${more}`, ...below.map((line) => `${isLast ? ' ' : '│'} ${line}`)];
  });
}

function reached(server: McpServer): string {
  const only = server.tools ? ` (only ${server.tools.join(', ')})` : '';
  return `${'url' in server ? server.url : [server.command, ...server.args].join(' ')}${only}`;
}

const THEN = {
  continue: 'then goes on without an answer',
  default: 'then takes the default it named',
  fail: 'then gives up',
} as const;

/** The question policy in words: `waits 3d, then goes on; reminds after 4h and 1d; after 2d also asks maria`. */
export function asking(policy: AgentView['questions']): string {
  const { timeout, onTimeout, remind, escalate, notify, assignees } = policy;
  const waits =
    timeout === 'never' || onTimeout === 'wait' ? 'waits for ever' : `waits ${timeout}, ${THEN[onTimeout]}`;
  return [
    ...(assignees.length > 0 ? [`${and(assignees)} may answer, too`] : []),
    waits,
    ...(remind.length > 0 ? [`reminds after ${and(remind)}`] : []),
    ...escalate.map(({ after, to }) => `after ${after} also asks ${and(to)}`),
    ...(notify.length > 0 ? [`tells of it by ${and(notify)}`] : []),
  ].join('; ');
}

function and(words: string[]): string {
  const named = words.map((word) => (word === '*' ? 'everybody' : word));
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

function webhook({ trigger }: AgentView, agent: Agent | undefined): string {
  return `POST ${trigger?.url}, ${trigger?.signed ? `signed by ${agent?.trigger?.secret}` : 'not signed'}`;
}
