import { getYamlField, getYamlList, isYamlMap } from '#agents/front-matter';
import type { AgentDraft } from '#agents/parse-agent-file';
import { McpServerConfig, McpServerName } from '#contract/agent';
import { describeUnknownField, didYouMean, type SchemaIssue } from '#contract/error-messages';
import { defaultMcpToolName, MCP_NAME_SEPARATOR } from '#core/tools/grants';
import { isAskingTool, type Tool } from '#tools/tool';
import { findYamlIssues } from './schema-issues';

/** What stands beside every tool's name. */
const GRANT_FIELDS = ['name', 'requiresConfirmation'];

/** What the agent says of tools, as far as it can be read. */
export function findToolIssues({ value }: AgentDraft, tools: Tool[]): SchemaIssue[] {
  const entries = getYamlList(getYamlField(value, 'tools'));
  const names = entries.map(grantNameOf);
  return [
    ...entries.flatMap((entry, at) => {
      const name = names[at];
      const path = ['tools', at];
      if (name === undefined) return findMisplacedName(entry, path, tools);
      if (names.indexOf(name) < at) return [{ path, message: `${name} is named twice; name it once` }];
      return [
        ...findToolNameIssues(name, value, tools).map((message) => ({ path, message })),
        ...findToolSettingIssues(name, entry, tools).map((one) => ({ ...one, path: [...path, ...one.path] })),
        ...findConfirmationIssues(name, entry, value, tools).map((one) => ({
          ...one,
          path: [...path, ...one.path],
        })),
      ];
    }),
  ];
}

function grantNameOf(entry: unknown): string | undefined {
  const name = typeof entry === 'string' ? entry : getYamlField(entry, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** `- http_request: {…}` is how one would write it who has not read the manual. */
function findMisplacedName(entry: unknown, path: PropertyKey[], tools: Tool[]): SchemaIssue[] {
  const [key = ''] = isYamlMap(entry) ? Object.keys(entry) : [];
  if (!tools.some(({ name }) => name === key)) return [];
  return [{ path: [...path, key], message: `write \`- name: ${key}\`, and its settings as fields beside it` }];
}

function findToolNameIssues(name: string, value: unknown, tools: Tool[]): string[] {
  const known = tools.map((tool) => tool.name);
  if (tools.some((tool) => tool.name === name && tool.isForAll))
    return [`every agent has ${name} anyway; take this out`];
  if (known.includes(name)) {
    const isLonely = isDelegationTool(name, tools) && getYamlList(getYamlField(value, 'subagents')).length === 0;
    return isLonely ? ['there is nobody to delegate to; name the agents under `subagents`'] : [];
  }
  if (name.includes(MCP_NAME_SEPARATOR)) return findMcpToolIssues(name, value);
  const servers = ', and those of servers under `mcp`, as server__tool';
  return [`there is no tool ${name}; the tools are: ${known.join(', ')}${servers}${didYouMean(name, known)}`];
}

function findMcpToolIssues(name: string, value: unknown): string[] {
  const [server = '', ...rest] = name.split(MCP_NAME_SEPARATOR);
  const tool = rest.join(MCP_NAME_SEPARATOR);
  const servers = getYamlField(value, 'mcp');
  const declared = isYamlMap(servers) ? Object.keys(servers) : [];
  if (!declared.includes(server)) {
    const there = declared.length > 0 ? `the servers there are: ${declared.join(', ')}` : 'there are none';
    return [`there is no server ${server} under \`mcp\`; ${there}${didYouMean(server, declared)}`];
  }
  if (tool === '') return [`say which tool of ${server}, as in ${server}${MCP_NAME_SEPARATOR}search`];
  const only = getYamlList(getYamlField(getYamlField(servers, server), 'tools')).map((own) =>
    defaultMcpToolName(server, String(own)),
  );
  return only.length === 0 || only.includes(name)
    ? []
    : [`mcp.${server}.tools leaves it out; the names would be: ${only.join(', ')}${didYouMean(name, only)}`];
}

function findToolSettingIssues(name: string, entry: unknown, tools: Tool[]): SchemaIssue[] {
  const tool = tools.find((one) => one.name === name);
  if (!tool && !name.includes(MCP_NAME_SEPARATOR)) return [];
  const given = isYamlMap(entry) ? entry : {};
  const settings = Object.fromEntries(Object.entries(given).filter(([key]) => !GRANT_FIELDS.includes(key)));
  if (tool?.settings) return findYamlIssues(tool.settings, settings, GRANT_FIELDS);
  return Object.keys(settings).map((key) => ({
    path: [key],
    message: describeUnknownField(key, GRANT_FIELDS),
  }));
}

function findConfirmationIssues(name: string, entry: unknown, value: unknown, tools: Tool[]): SchemaIssue[] {
  const isMute = getYamlField(value, 'canAsk') === false;
  const path = ['requiresConfirmation'];
  if (tools.some((tool) => tool.name === name && isAskingTool(tool.running))) {
    if (isMute) return [{ path: [], message: `with canAsk: false it may not use ${name}; take one of the two out` }];
    if (getYamlField(entry, 'requiresConfirmation') !== true) return [];
    return [{ path, message: `${name} asks a person anyway; take this out` }];
  }
  if (!isMute || getYamlField(entry, 'requiresConfirmation') !== true) return [];
  return [{ path, message: 'with canAsk: false nobody could be asked to confirm; take one of the two out' }];
}

function isDelegationTool(name: string, tools: Tool[]): boolean {
  return tools.some((tool) => tool.name === name && tool.running.as === 'child');
}

/** What the agent says of MCP servers that a schema of one server cannot tell. */
export function findMcpServerIssues({ value }: AgentDraft): SchemaIssue[] {
  const servers = getYamlField(value, 'mcp');
  return Object.entries(isYamlMap(servers) ? servers : {}).flatMap(([name, server]) => [
    ...findYamlIssues(McpServerName, name).map(({ message }) => ({ path: ['mcp', name], message })),
    ...findUnknownServerFields(server).map((one) => ({ ...one, path: ['mcp', name, ...one.path] })),
  ]);
}

/** Of a server that is of neither kind it cannot be said what is missing, but what it should not have. */
function findUnknownServerFields(server: unknown): SchemaIssue[] {
  const kinds = McpServerConfig.options.map(({ shape }) => Object.keys(shape));
  const isOfAKind = kinds.some(([kind = '']) => getYamlField(server, kind) !== undefined);
  if (!isYamlMap(server) || isOfAKind) return [];
  const known = [...new Set(kinds.flat())];
  return Object.keys(server)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: [field], message: describeUnknownField(field, known) }));
}
