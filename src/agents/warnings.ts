import type { Agent } from '#contract/agent';
import { NAMED, namesIn, type Variables } from '#contract/variables';
import { channelWarnings } from './channel-warnings';
import { type Text, textsOf } from './texts';

/** What is allowed in an agent's file, and probably not what was wanted. */
export function warningsOf(agent: Agent, variables: Variables): string[] {
  const hook = agent.trigger?.secret;
  const found = [
    ...textsOf(agent).flatMap((text) => [
      ...(text.isFilled ? unset(text, variables) : unfilled(text)),
      ...writtenOut(text, agent),
    ]),
    ...(hook && !variables[hook]
      ? [`${hook} is not set here, for its webhook; Parley does not start without it`]
      : []),
    ...channelWarnings(agent, variables),
  ];
  return [...new Set(found)].map((one) => `${agent.name}: ${one}`);
}

function unset({ text, what }: Text, variables: Variables): string[] {
  return namesIn(text)
    .filter((name) => !variables[name])
    .map((name) => `${name} is not set here, for ${what}`);
}

function unfilled({ text, path }: Text): string[] {
  return namesIn(text).map(
    (name) => `\${${name}} is not filled in at ${path.join('.')}: it stays there as it is`,
  );
}

const PINNED = `agents are pinned into histories, so name a variable instead, as in \${NAME}`;
const SECRET_NAME = /authorization|cookie|key|token|secret|password/i;
/** A switch or a count has such a name at times, as in MAX_TOKENS. */
const HARMLESS = /^(true|false|\d{0,6})$/i;

/** A secret in plain text, or a variable named in a way that nobody fills in. */
function writtenOut({ path, text, isFilled }: Text, agent: Agent): string[] {
  if (!isFilled) return [];
  const rest = text.replace(NAMED, '');
  const [odd] = /\$\{[^}\s]*\}?|\$[A-Za-z_]\w*/.exec(rest) ?? [];
  if (odd !== undefined && !isForShell(path, agent))
    return [`${odd} at ${path.join('.')} stays as it is, since it is not written \${NAME}; ${PINNED}`];
  const isSecret = isHeaderOrEnv(path) && SECRET_NAME.test(path.at(-1) ?? '') && !HARMLESS.test(text);
  return isSecret && rest === text ? [`${path.join('.')} is written out; ${PINNED}`] : [];
}

function isHeaderOrEnv(path: string[]): boolean {
  return ['headers', 'env'].includes(path[2] ?? '');
}

/** A shell has variables of its own. */
function isForShell([group, name = '', field]: string[], { mcp = {} }: Agent): boolean {
  const server = group === 'mcp' && field === 'args' ? mcp[name] : undefined;
  return server !== undefined && 'command' in server && /(^|\/)\w*sh$/.test(server.command);
}
