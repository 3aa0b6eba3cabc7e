import { isYamlMap } from '#agents/front-matter';
import { findPersonNameByEmail, listNamesOfPerson } from '#channels/people';
import type { Agent } from '#contract/agent';
import { PeopleList, type Person } from '#contract/channel-settings';
import { EVERYBODY } from '#contract/permissions';
import { channelName, channelTarget } from '#core/questions/notifications';
import { type EnvironmentVariables, findVariableNames, VARIABLE_REFERENCE } from '#tools/interpolate-variables';

/** What is allowed in an agent's file, and probably not what was wanted. */
export function findAgentWarnings(agent: Agent, variables: EnvironmentVariables): string[] {
  const hook = agent.trigger?.secret;
  const found = [
    ...listFrontMatterTexts(agent).flatMap((text) => [
      ...(text.isFilled ? findUnsetVariables(text, variables) : findIgnoredVariables(text)),
      ...findPlainSecrets(text, agent),
    ]),
    ...(hook && !variables[hook] ? [`${hook} is not set here, for its webhook; Parley does not start without it`] : []),
    ...findChannelWarnings(agent, variables),
  ];
  return [...new Set(found)].map((one) => `${agent.name}: ${one}`);
}

function findUnsetVariables({ text, what }: FrontMatterText, variables: EnvironmentVariables): string[] {
  return findVariableNames(text)
    .filter((name) => !variables[name])
    .map((name) => `${name} is not set here, for ${what}`);
}

function findIgnoredVariables({ text, path }: FrontMatterText): string[] {
  return findVariableNames(text).map(
    (name) => `\${${name}} is not filled in at ${path.join('.')}: it stays there as it is`,
  );
}

const PINNED_HINT = `agents are pinned into histories, so name a variable instead, as in \${NAME}`;
const SECRET_NAME = /authorization|cookie|key|token|secret|password/i;
/** A switch or a count has such a name at times, as in MAX_TOKENS. */
const HARMLESS_VALUE = /^(true|false|\d{0,6})$/i;

/** A secret in plain text, or a variable named in a way that nobody fills in. */
function findPlainSecrets({ path, text, isFilled }: FrontMatterText, agent: Agent): string[] {
  if (!isFilled) return [];
  const rest = text.replace(VARIABLE_REFERENCE, '');
  const [odd] = /\$\{[^}\s]*\}?|\$[A-Za-z_]\w*/.exec(rest) ?? [];
  if (odd !== undefined && !isShellArgument(path, agent))
    return [`${odd} at ${path.join('.')} stays as it is, since it is not written \${NAME}; ${PINNED_HINT}`];
  const isSecret = isHeaderOrEnv(path) && SECRET_NAME.test(path.at(-1) ?? '') && !HARMLESS_VALUE.test(text);
  return isSecret && rest === text ? [`${path.join('.')} is written out; ${PINNED_HINT}`] : [];
}

function isHeaderOrEnv(path: string[]): boolean {
  return ['headers', 'env'].includes(path[2] ?? '');
}

/** A shell has variables of its own. */
function isShellArgument([group, name = '', field]: string[], { mcp = {} }: Agent): boolean {
  const server = group === 'mcp' && field === 'args' ? mcp[name] : undefined;
  return server !== undefined && 'command' in server && /(^|\/)\w*sh$/.test(server.command);
}

const REQUIRED_VARIABLES: Record<string, string> = { slack: 'SLACK_BOT_TOKEN', email: 'PARLEY_SMTP_URL' };

/** Channels that are not set up, and people who are told of questions that they may not answer. */
function findChannelWarnings(agent: Agent, variables: EnvironmentVariables): string[] {
  return listNotificationTargets(agent).flatMap((destination) => [
    ...findUnconfiguredChannel(destination, agent, variables),
    ...findUnauthorizedRecipient(destination, agent, variables),
  ]);
}

/** Everywhere an agent's notices go. */
export function listNotificationTargets({ questions: { notify = [], escalate = [] } }: Agent): string[] {
  return [...new Set([...notify, ...escalate.flatMap((step) => step.notify ?? [])])];
}

function findUnconfiguredChannel(destination: string, agent: Agent, variables: EnvironmentVariables): string[] {
  const channel = channelName(destination);
  if (channel === 'webhook' && !agent.callbackUrl)
    return ['notify: webhook tells nobody, unless a conversation is started with a callbackUrl'];
  const needed = REQUIRED_VARIABLES[channel];
  return needed && !variables[needed] ? [`${needed} is not set here, for ${destination}`] : [];
}

/** Without keys everybody may answer; with them, to be told of a question lets nobody answer it. */
function findUnauthorizedRecipient(
  destination: string,
  { questions }: Agent,
  variables: EnvironmentVariables,
): string[] {
  const people = PeopleList.safeParse(variables.PARLEY_PEOPLE ?? '').data ?? [];
  const person = findPersonAt(destination, people);
  if (!person || !variables.PARLEY_API_KEYS) return [];
  const names = listNamesOfPerson(people, person);
  const may = [...questions.assignees, ...(questions.escalate ?? []).flatMap(({ to }) => to)];
  if ([...names, EVERYBODY].some((name) => may.includes(name))) return [];
  return [
    `${destination} is told of questions that ${person} may not answer, unless they started the conversation; ` +
      'name them in questions.assignees',
  ];
}

function findPersonAt(destination: string, people: readonly Person[]): string | undefined {
  const place = channelTarget(destination);
  if (channelName(destination) === 'email') return findPersonNameByEmail(people, place);
  if (channelName(destination) !== 'slack' || !place.startsWith('@')) return undefined;
  const named = place.slice(1);
  if (named.includes('@')) return findPersonNameByEmail(people, named);
  // The id of a user says nothing of who it is, unless the directory does.
  return /^[UW][A-Z0-9]{7,}$/.test(named)
    ? people.find(({ slack }) => slack.some(({ user }) => user === named))?.name
    : named;
}

/** A text in an agent's front matter. */
interface FrontMatterText {
  path: string[];
  text: string;
  /** What it is for, as a person would say it. */
  what: string;
  /** Is `${NAME}` filled in there? */
  isFilled: boolean;
}

const INTERPOLATED_SERVER_FIELDS = ['args', 'env', 'url', 'headers'];

/** Every text but the prompt, in which anything may stand. */
function listFrontMatterTexts({ prompt, tools = [], mcp = {}, ...rest }: Agent): FrontMatterText[] {
  return [
    ...tools.flatMap(({ name, requiresConfirmation, ...settings }) =>
      collectTexts(settings, ['tools', name], { what: `the tool ${name}`, isFilled: isInterpolatedBy(name) }),
    ),
    ...Object.entries(mcp).flatMap(([name, server]) =>
      collectTexts(server, ['mcp', name], {
        what: `the MCP server ${name}`,
        isFilled: ([, , field = '']) => INTERPOLATED_SERVER_FIELDS.includes(field),
      }),
    ),
    ...collectTexts(rest, [], { what: '', isFilled: () => false }),
  ];
}

type TextKind = { what: string; isFilled: (path: string[]) => boolean };

/** Another tool may fill in what it likes. */
const isInterpolatedBy = (tool: string) => (path: string[]) => tool !== 'http_request' || path[2] === 'headers';

function collectTexts(value: unknown, path: string[], kind: TextKind): FrontMatterText[] {
  if (typeof value === 'string') return [{ path, text: value, what: kind.what, isFilled: kind.isFilled(path) }];
  if (!isYamlMap(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => collectTexts(part, [...path, name], kind));
}
