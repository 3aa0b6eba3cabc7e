import { findPersonNameByEmail, listNamesOfPerson } from '#channels/people';
import type { Agent } from '#contract/agent';
import { PeopleList, type Person } from '#contract/channel-settings';
import { EVERYBODY } from '#core/conversation/state';
import { isJsonObject } from '#core/json';
import { channelName, channelTarget } from '#core/questions/notifications';
import { type EnvironmentVariables, findVariableNames, VARIABLE_REFERENCE } from '#tools/interpolate-variables';

/** Finds what is valid in an agent file, but probably a mistake. */
export function findAgentWarnings(agent: Agent, variables: EnvironmentVariables): string[] {
  const triggerSecret = agent.trigger?.secret;
  const warnings = [
    ...listFrontMatterTexts(agent).flatMap((text) => [
      ...(text.isInterpolated ? findUnsetVariables(text, variables) : findIgnoredVariables(text)),
      ...findPlainSecrets(text, agent),
    ]),
    ...(triggerSecret && !variables[triggerSecret]
      ? [`${triggerSecret} is not set here, for its webhook; Parley does not start without it`]
      : []),
    ...findChannelWarnings(agent, variables),
  ];
  return [...new Set(warnings)].map((warning) => `${agent.name}: ${warning}`);
}

function findUnsetVariables({ text, purpose }: FrontMatterText, variables: EnvironmentVariables): string[] {
  return findVariableNames(text)
    .filter((name) => !variables[name])
    .map((name) => `${name} is not set here, for ${purpose}`);
}

function findIgnoredVariables({ text, path }: FrontMatterText): string[] {
  return findVariableNames(text).map(
    (name) => `\${${name}} is not filled in at ${path.join('.')}: it stays there as it is`,
  );
}

const PINNED_HINT = `agents are pinned into histories, so name a variable instead, as in \${NAME}`;
const SECRET_NAME = /authorization|cookie|key|token|secret|password/i;
/** Values of settings such as MAX_TOKENS, whose names look like those of secrets. */
const HARMLESS_VALUE = /^(true|false|\d{0,6})$/i;

/** Finds secrets in plain text, and variable references that are not written `${NAME}`. */
function findPlainSecrets({ path, text, isInterpolated }: FrontMatterText, agent: Agent): string[] {
  if (!isInterpolated) return [];
  const remainder = text.replace(VARIABLE_REFERENCE, '');
  const [malformed] = /\$\{[^}\s]*\}?|\$[A-Za-z_]\w*/.exec(remainder) ?? [];
  if (malformed !== undefined && !isShellArgument(path, agent))
    return [`${malformed} at ${path.join('.')} stays as it is, since it is not written \${NAME}; ${PINNED_HINT}`];
  const isSecret = isHeaderOrEnv(path) && SECRET_NAME.test(path.at(-1) ?? '') && !HARMLESS_VALUE.test(text);
  return isSecret && remainder === text ? [`${path.join('.')} is written out; ${PINNED_HINT}`] : [];
}

function isHeaderOrEnv(path: string[]): boolean {
  return ['headers', 'env'].includes(path[2] ?? '');
}

/** A shell expands variables itself, so `$NAME` in its arguments is valid. */
function isShellArgument([group, name = '', field]: string[], { mcp = {} }: Agent): boolean {
  const server = group === 'mcp' && field === 'args' ? mcp[name] : undefined;
  return server !== undefined && 'command' in server && /(^|\/)\w*sh$/.test(server.command);
}

const REQUIRED_VARIABLES: Record<string, string> = { slack: 'SLACK_BOT_TOKEN', email: 'PARLEY_SMTP_URL' };

/** Finds channels that are not configured, and recipients who may not answer the questions they are notified of. */
function findChannelWarnings(agent: Agent, variables: EnvironmentVariables): string[] {
  return listNotificationTargets(agent).flatMap((destination) => [
    ...findUnconfiguredChannel(destination, agent, variables),
    ...findUnauthorizedRecipient(destination, agent, variables),
  ]);
}

/** Lists all notification destinations of an agent. */
export function listNotificationTargets({ questions: { notify = [], escalate = [] } }: Agent): string[] {
  return [...new Set([...notify, ...escalate.flatMap((step) => step.notify ?? [])])];
}

function findUnconfiguredChannel(destination: string, agent: Agent, variables: EnvironmentVariables): string[] {
  const channel = channelName(destination);
  if (channel === 'webhook' && !agent.callbackUrl)
    return ['notify: webhook tells nobody, unless a conversation is started with a callbackUrl'];
  const requiredVariable = REQUIRED_VARIABLES[channel];
  return requiredVariable && !variables[requiredVariable]
    ? [`${requiredVariable} is not set here, for ${destination}`]
    : [];
}

/**
 * Warns about a recipient who may not answer. Without API keys everyone may; with them, being notified grants nothing.
 */
function findUnauthorizedRecipient(
  destination: string,
  { questions }: Agent,
  variables: EnvironmentVariables,
): string[] {
  const people = PeopleList.safeParse(variables.PARLEY_PEOPLE ?? '').data ?? [];
  const person = findPersonAt(destination, people);
  if (!person || !variables.PARLEY_API_KEYS) return [];
  const names = listNamesOfPerson(people, person);
  const allowed = [...questions.assignees, ...questions.escalate.flatMap(({ to }) => to)];
  if ([...names, EVERYBODY].some((name) => allowed.includes(name))) return [];
  return [
    `${destination} is told of questions that ${person} may not answer, unless they started the conversation; ` +
      'name them in questions.assignees',
  ];
}

function findPersonAt(destination: string, people: readonly Person[]): string | undefined {
  const target = channelTarget(destination);
  if (channelName(destination) === 'email') return findPersonNameByEmail(people, target);
  if (channelName(destination) !== 'slack' || !target.startsWith('@')) return undefined;
  const slackName = target.slice(1);
  if (slackName.includes('@')) return findPersonNameByEmail(people, slackName);
  // A Slack user id names a person only if PARLEY_PEOPLE lists it.
  return /^[UW][A-Z0-9]{7,}$/.test(slackName)
    ? people.find(({ slack }) => slack.some(({ user }) => user === slackName))?.name
    : slackName;
}

/** A text in an agent's front matter. */
interface FrontMatterText {
  path: string[];
  text: string;
  /** What the text belongs to, for a warning. */
  purpose: string;
  /** Whether `${NAME}` is replaced there. */
  isInterpolated: boolean;
}

const INTERPOLATED_SERVER_FIELDS = ['args', 'env', 'url', 'headers'];

/** Lists every text except the prompt, which may contain anything. */
function listFrontMatterTexts({ prompt, tools = [], mcp = {}, ...rest }: Agent): FrontMatterText[] {
  return [
    ...tools.flatMap(({ name, requiresConfirmation, ...settings }) =>
      collectTexts(settings, ['tools', name], { purpose: `the tool ${name}`, isInterpolated: isInterpolatedBy(name) }),
    ),
    ...Object.entries(mcp).flatMap(([name, server]) =>
      collectTexts(server, ['mcp', name], {
        purpose: `the MCP server ${name}`,
        isInterpolated: ([, , field = '']) => INTERPOLATED_SERVER_FIELDS.includes(field),
      }),
    ),
    ...collectTexts(rest, [], { purpose: '', isInterpolated: () => false }),
  ];
}

type TextKind = { purpose: string; isInterpolated: (path: string[]) => boolean };

/** Of the built-in tools, http_request interpolates only its headers. Other tools may interpolate any setting. */
const isInterpolatedBy = (tool: string) => (path: string[]) => tool !== 'http_request' || path[2] === 'headers';

function collectTexts(value: unknown, path: string[], kind: TextKind): FrontMatterText[] {
  if (typeof value === 'string')
    return [{ path, text: value, purpose: kind.purpose, isInterpolated: kind.isInterpolated(path) }];
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => collectTexts(child, [...path, name], kind));
}
