import { getYamlField, getYamlList } from '#agents/front-matter';
import type { AgentDraft } from '#agents/parse-agent-file';
import { McpServerConfig, McpServerName } from '#contract/agent';
import { describeUnknownField, didYouMean, type SchemaIssue } from '#contract/error-messages';
import { isJsonObject } from '#core/json';
import { defaultMcpToolName, MCP_NAME_SEPARATOR } from '#core/tools/grants';
import { isAskingTool, type Tool } from '#tools/tool';
import { findYamlIssues } from './schema-issues';

/** Fields that every tool grant may have. */
const GRANT_FIELDS = ['name', 'requiresConfirmation'];

/** Checks the `tools` of an agent, as far as they can be parsed. */
export function findToolIssues({ value }: AgentDraft, tools: Tool[]): SchemaIssue[] {
  const grants = getYamlList(getYamlField(value, 'tools'));
  const names = grants.map(grantNameOf);
  return [
    ...grants.flatMap((grant, index) => {
      const name = names[index];
      const path = ['tools', index];
      if (name === undefined) return findMisplacedName(grant, path, tools);
      if (names.indexOf(name) < index) return [{ path, message: `${name} is listed twice` }];
      return [
        ...findToolNameIssues(name, value, tools).map((message) => ({ path, message })),
        ...findToolSettingIssues(name, grant, tools).map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
        ...findConfirmationIssues(name, grant, value, tools).map((issue) => ({
          ...issue,
          path: [...path, ...issue.path],
        })),
      ];
    }),
  ];
}

function grantNameOf(grant: unknown): string | undefined {
  const name = typeof grant === 'string' ? grant : getYamlField(grant, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Recognizes `- http_request: {…}`, a common mistake for `- name: http_request`. */
function findMisplacedName(grant: unknown, path: PropertyKey[], tools: Tool[]): SchemaIssue[] {
  const [key = ''] = isJsonObject(grant) ? Object.keys(grant) : [];
  if (!tools.some(({ name }) => name === key)) return [];
  return [{ path: [...path, key], message: `write \`- name: ${key}\`, with its settings as fields below it` }];
}

function findToolNameIssues(name: string, value: unknown, tools: Tool[]): string[] {
  const known = tools.map((tool) => tool.name);
  if (tools.some((tool) => tool.name === name && tool.isAlwaysAvailable))
    return [`every agent has ${name}; remove this`];
  if (known.includes(name)) {
    const hasNoSubagents = isDelegationTool(name, tools) && getYamlList(getYamlField(value, 'subagents')).length === 0;
    return hasNoSubagents ? ['requires sub-agents; list them in `subagents`'] : [];
  }
  if (name.includes(MCP_NAME_SEPARATOR)) return findMcpToolIssues(name, value);
  return [`unknown tool ${name}; allowed: ${known.join(', ')}, server__tool from \`mcp\`${didYouMean(name, known)}`];
}

function findMcpToolIssues(name: string, value: unknown): string[] {
  const [server = '', ...rest] = name.split(MCP_NAME_SEPARATOR);
  const tool = rest.join(MCP_NAME_SEPARATOR);
  const servers = getYamlField(value, 'mcp');
  const declared = isJsonObject(servers) ? Object.keys(servers) : [];
  if (!declared.includes(server)) {
    const declaredHint = declared.length > 0 ? `servers: ${declared.join(', ')}` : 'there are no servers';
    return [`unknown server ${server} in \`mcp\`; ${declaredHint}${didYouMean(server, declared)}`];
  }
  if (tool === '') return [`add the tool name, such as ${server}${MCP_NAME_SEPARATOR}search`];
  const allowedNames = getYamlList(getYamlField(getYamlField(servers, server), 'tools')).map((toolName) =>
    defaultMcpToolName(server, String(toolName)),
  );
  return allowedNames.length === 0 || allowedNames.includes(name)
    ? []
    : [`not in mcp.${server}.tools; allowed: ${allowedNames.join(', ')}${didYouMean(name, allowedNames)}`];
}

function findToolSettingIssues(name: string, grant: unknown, tools: Tool[]): SchemaIssue[] {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool && !name.includes(MCP_NAME_SEPARATOR)) return [];
  const fields = isJsonObject(grant) ? grant : {};
  const settings = Object.fromEntries(Object.entries(fields).filter(([key]) => !GRANT_FIELDS.includes(key)));
  if (tool?.settings) return findYamlIssues(tool.settings, settings, GRANT_FIELDS);
  return Object.keys(settings).map((key) => ({
    path: [key],
    message: describeUnknownField(key, GRANT_FIELDS),
  }));
}

function findConfirmationIssues(name: string, grant: unknown, value: unknown, tools: Tool[]): SchemaIssue[] {
  const cannotAsk = getYamlField(value, 'canAsk') === false;
  const path = ['requiresConfirmation'];
  if (tools.some((tool) => tool.name === name && isAskingTool(tool.execution))) {
    if (cannotAsk) return [{ path: [], message: `${name} requires canAsk: true; remove one of the two` }];
    if (getYamlField(grant, 'requiresConfirmation') !== true) return [];
    return [{ path, message: `${name} always asks a person; remove this` }];
  }
  if (!cannotAsk || getYamlField(grant, 'requiresConfirmation') !== true) return [];
  return [{ path, message: 'approval requires canAsk: true; remove one of the two' }];
}

function isDelegationTool(name: string, tools: Tool[]): boolean {
  return tools.some((tool) => tool.name === name && tool.execution.kind === 'child');
}

/** Validates server names and unknown fields under `mcp`, which the schema of a single server does not cover. */
export function findMcpServerIssues({ value }: AgentDraft): SchemaIssue[] {
  const servers = getYamlField(value, 'mcp');
  return Object.entries(isJsonObject(servers) ? servers : {}).flatMap(([name, server]) => [
    ...findYamlIssues(McpServerName, name).map(({ message }) => ({ path: ['mcp', name], message })),
    ...findUnknownServerFields(server).map((issue) => ({ ...issue, path: ['mcp', name, ...issue.path] })),
  ]);
}

/** A server without `command` or `url` has no known kind, so only its unknown fields can be reported. */
function findUnknownServerFields(server: unknown): SchemaIssue[] {
  const fieldsByKind = McpServerConfig.options.map(({ shape }) => Object.keys(shape));
  const hasKnownKind = fieldsByKind.some(([discriminator = '']) => getYamlField(server, discriminator) !== undefined);
  if (!isJsonObject(server) || hasKnownKind) return [];
  const known = [...new Set(fieldsByKind.flat())];
  return Object.keys(server)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: [field], message: describeUnknownField(field, known) }));
}
