import { didYouMean } from '#contract/nearest';
import { type Fault, noSuchField } from '#contract/sentences';
import { OF, plainName } from '#core/permission';
import { isAsking, type Tool } from '#tools/tool';
import { type Draft, fieldOf, isGroup, itemsOf } from './draft';
import { faultsOf } from './sentences';

/** What stands beside every tool's name. */
const ENTRY = ['name', 'requiresConfirmation'];

/** What the agent says of tools, as far as it can be read. */
export function toolFaults({ value }: Draft, tools: Tool[]): Fault[] {
  const entries = itemsOf(fieldOf(value, 'tools'));
  const names = entries.map(nameOf);
  return [
    ...entries.flatMap((entry, at) => {
      const name = names[at];
      const path = ['tools', at];
      if (name === undefined) return misplacedName(entry, path, tools);
      if (names.indexOf(name) < at) return [{ path, message: `${name} is named twice; name it once` }];
      return [
        ...nameFaults(name, value, tools).map((message) => ({ path, message })),
        ...settingFaults(name, entry, tools).map((one) => ({ ...one, path: [...path, ...one.path] })),
        ...askingFaults(name, entry, value, tools).map((one) => ({ ...one, path: [...path, ...one.path] })),
      ];
    }),
  ];
}

function nameOf(entry: unknown): string | undefined {
  const name = typeof entry === 'string' ? entry : fieldOf(entry, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** `- http_request: {…}` is how one would write it who has not read the manual. */
function misplacedName(entry: unknown, path: PropertyKey[], tools: Tool[]): Fault[] {
  const [key = ''] = isGroup(entry) ? Object.keys(entry) : [];
  if (!tools.some(({ name }) => name === key)) return [];
  return [
    { path: [...path, key], message: `write \`- name: ${key}\`, and its settings as fields beside it` },
  ];
}

function nameFaults(name: string, value: unknown, tools: Tool[]): string[] {
  const known = tools.map((tool) => tool.name);
  if (tools.some((tool) => tool.name === name && tool.isForAll))
    return [`every agent has ${name} anyway; take this out`];
  if (known.includes(name)) {
    const isLonely = isChild(name, tools) && itemsOf(fieldOf(value, 'subagents')).length === 0;
    return isLonely ? ['there is nobody to delegate to; name the agents under `subagents`'] : [];
  }
  if (name.includes(OF)) return serverToolFaults(name, value);
  const servers = ', and those of servers under `mcp`, as server__tool';
  return [`there is no tool ${name}; the tools are: ${known.join(', ')}${servers}${didYouMean(name, known)}`];
}

function serverToolFaults(name: string, value: unknown): string[] {
  const [server = '', ...rest] = name.split(OF);
  const tool = rest.join(OF);
  const servers = fieldOf(value, 'mcp');
  const declared = isGroup(servers) ? Object.keys(servers) : [];
  if (!declared.includes(server)) {
    const there = declared.length > 0 ? `the servers there are: ${declared.join(', ')}` : 'there are none';
    return [`there is no server ${server} under \`mcp\`; ${there}${didYouMean(server, declared)}`];
  }
  if (tool === '') return [`say which tool of ${server}, as in ${server}${OF}search`];
  const only = itemsOf(fieldOf(fieldOf(servers, server), 'tools')).map((own) =>
    plainName(server, String(own)),
  );
  return only.length === 0 || only.includes(name)
    ? []
    : [`mcp.${server}.tools leaves it out; the names would be: ${only.join(', ')}${didYouMean(name, only)}`];
}

function settingFaults(name: string, entry: unknown, tools: Tool[]): Fault[] {
  const tool = tools.find((one) => one.name === name);
  if (!tool && !name.includes(OF)) return [];
  const given = isGroup(entry) ? entry : {};
  const settings = Object.fromEntries(Object.entries(given).filter(([key]) => !ENTRY.includes(key)));
  if (tool?.settings) return faultsOf(tool.settings, settings, ENTRY);
  return Object.keys(settings).map((key) => ({ path: [key], message: noSuchField(key, ENTRY) }));
}

function askingFaults(name: string, entry: unknown, value: unknown, tools: Tool[]): Fault[] {
  const isMute = fieldOf(value, 'canAsk') === false;
  const path = ['requiresConfirmation'];
  if (tools.some((tool) => tool.name === name && isAsking(tool.running))) {
    if (isMute)
      return [{ path: [], message: `with canAsk: false it may not use ${name}; take one of the two out` }];
    if (fieldOf(entry, 'requiresConfirmation') !== true) return [];
    return [{ path, message: `${name} asks a person anyway; take this out` }];
  }
  if (!isMute || fieldOf(entry, 'requiresConfirmation') !== true) return [];
  return [{ path, message: 'with canAsk: false nobody could be asked to confirm; take one of the two out' }];
}

function isChild(name: string, tools: Tool[]): boolean {
  return tools.some((tool) => tool.name === name && tool.running.as === 'child');
}
