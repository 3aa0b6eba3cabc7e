import type { Channel } from '#channels/channel';
import { listNotificationTargets } from '#channels/destinations';
import { listNamesOfPerson } from '#channels/people';
import { CHANNELS } from '#channels/registry';
import type { Agent } from '#contract/agent';
import { PeopleList } from '#contract/people';
import { EVERYBODY } from '#core/conversation/state';
import { isJsonObject } from '#core/json';
import { channelName, channelTarget } from '#core/questions/notifications';
import { type EnvironmentVariables, findVariableNames, VARIABLE_REFERENCE } from '#tools/interpolate-variables';

/** Finds settings that are valid, but probably a mistake. */
export function findAgentWarnings(
  agent: Agent,
  variables: EnvironmentVariables,
  channels: readonly Channel[] = CHANNELS,
): string[] {
  const triggerSecret = agent.trigger?.secret;
  const warnings = [
    ...listFrontMatterTexts(agent).flatMap((text) => [
      ...findVariableWarnings(text, variables),
      ...findPlainSecrets(text, agent),
    ]),
    ...(triggerSecret && !variables[triggerSecret]
      ? [`${triggerSecret} is not set (webhook secret); Parley won't start without it`]
      : []),
    ...findChannelWarnings(agent, variables, channels),
  ];
  return [...new Set(warnings)].map((warning) => `${agent.name}: ${warning}`);
}

function findVariableWarnings(
  { text, path, purpose, isInterpolated }: FrontMatterText,
  variables: EnvironmentVariables,
) {
  const names = findVariableNames(text);
  if (!isInterpolated) return names.map((name) => `\${${name}} is not replaced in ${path.join('.')}`);
  return names.filter((name) => !variables[name]).map((name) => `${name} is not set (${purpose})`);
}

const PINNED_HINT = `agents are stored in histories, so use a variable: \${NAME}`;
const SECRET_NAME = /authorization|cookie|key|token|secret|password/i;
/** Values of settings such as MAX_TOKENS, whose names look like those of secrets. */
const HARMLESS_VALUE = /^(true|false|\d{0,6})$/i;

/** Finds secrets in plain text, and variable references that are not written `${NAME}`. */
function findPlainSecrets({ path, text, isInterpolated }: FrontMatterText, agent: Agent): string[] {
  if (!isInterpolated) return [];
  const remainder = text.replace(VARIABLE_REFERENCE, '');
  const [malformed] = /\$\{[^}\s]*\}?|\$[A-Za-z_]\w*/.exec(remainder) ?? [];
  if (malformed !== undefined && !isShellArgument(path, agent))
    return [`${malformed} in ${path.join('.')} is not replaced; ${PINNED_HINT}`];
  const isHeaderOrEnv = ['headers', 'env'].includes(path[2] ?? '');
  const isSecret = isHeaderOrEnv && SECRET_NAME.test(path.at(-1) ?? '') && !HARMLESS_VALUE.test(text);
  return isSecret && remainder === text ? [`${path.join('.')} looks like a plain-text secret; ${PINNED_HINT}`] : [];
}

/** A shell expands variables itself, so `$NAME` in its arguments is valid. */
function isShellArgument([group, name = '', field]: string[], { mcp = {} }: Agent): boolean {
  const server = group === 'mcp' && field === 'args' ? mcp[name] : undefined;
  return server !== undefined && 'command' in server && /(^|\/)\w*sh$/.test(server.command);
}

/** Finds channels that are not configured, and recipients who may not answer the questions they are notified of. */
function findChannelWarnings(agent: Agent, variables: EnvironmentVariables, channels: readonly Channel[]): string[] {
  return listNotificationTargets(agent).flatMap((destination) => {
    const channel = channels.find(({ name }) => name === channelName(destination));
    const [firstVariable] = channel?.setupVariables ?? [];
    return [
      ...(channel?.findAgentWarnings?.(agent) ?? []),
      ...(firstVariable && !variables[firstVariable] ? [`${firstVariable} is not set (${destination})`] : []),
      ...findUnauthorizedRecipient(destination, channel, agent, variables),
    ];
  });
}

/** Warns about a recipient who may not answer. Without API keys everyone may; a notification grants nothing. */
function findUnauthorizedRecipient(
  destination: string,
  channel: Channel | undefined,
  { questions }: Agent,
  variables: EnvironmentVariables,
): string[] {
  const people = PeopleList.safeParse(variables.PARLEY_PEOPLE ?? '').data ?? [];
  const person = channel?.findPersonAt?.(channelTarget(destination), people);
  if (!person || !variables.PARLEY_API_KEYS) return [];
  const names = listNamesOfPerson(people, person);
  const allowed = [...questions.assignees, ...questions.escalate.flatMap(({ to }) => to)];
  if ([...names, EVERYBODY].some((name) => allowed.includes(name))) return [];
  return [
    `${destination} is notified of questions that ${person} can answer only if they started the conversation; ` +
      'add them to questions.assignees',
  ];
}

interface FrontMatterText {
  path: string[];
  text: string;
  /** What uses the text, for a warning. */
  purpose: string;
  /** Whether `${NAME}` is replaced there. */
  isInterpolated: boolean;
}

const INTERPOLATED_SERVER_FIELDS = ['args', 'env', 'url', 'headers'];

/** Lists every text except the prompt, which may contain anything. */
function listFrontMatterTexts({ prompt, tools = [], mcp = {}, ...rest }: Agent): FrontMatterText[] {
  return [
    ...tools.flatMap(({ name, requiresConfirmation, ...settings }) =>
      collectTexts(settings, ['tools', name], `tool ${name}`, isInterpolatedBy(name)),
    ),
    ...Object.entries(mcp).flatMap(([name, server]) =>
      collectTexts(server, ['mcp', name], `MCP server ${name}`, ([, , field = '']) =>
        INTERPOLATED_SERVER_FIELDS.includes(field),
      ),
    ),
    ...collectTexts(rest, [], '', () => false),
  ];
}

/** Of the built-in tools, http_request interpolates only its headers. Other tools may interpolate any setting. */
const isInterpolatedBy = (tool: string) => (path: string[]) => tool !== 'http_request' || path[2] === 'headers';

function collectTexts(
  value: unknown,
  path: string[],
  purpose: string,
  isInterpolated: (path: string[]) => boolean,
): FrontMatterText[] {
  if (typeof value === 'string') return [{ path, text: value, purpose, isInterpolated: isInterpolated(path) }];
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    collectTexts(child, [...path, name], purpose, isInterpolated),
  );
}
