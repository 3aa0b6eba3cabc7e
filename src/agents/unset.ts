import type { Agent } from '../contract/agent';

export interface Unset {
  name: string;
  /** What for, as a person would say it. */
  what: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment variables that an agent's file names and that are not there. */
export function unsetOf(agent: Agent, variables: Variables): Unset[] {
  const named = [
    ...(agent.tools ?? []).flatMap((entry) => inside(entry, `the tool ${entry.name}`)),
    ...Object.entries(agent.mcp ?? {}).flatMap(([name, server]) => inside(server, `the MCP server ${name}`)),
    ...(agent.trigger?.secret
      ? [{ name: agent.trigger.secret, what: 'its webhook; Parley does not start without it' }]
      : []),
  ];
  return named.filter(
    ({ name, what }, at) =>
      !variables[name] && named.findIndex((one) => one.name === name && one.what === what) === at,
  );
}

/** Every `${NAME}` in it, however deep. */
function inside(value: unknown, what: string): Unset[] {
  if (typeof value === 'string')
    return [...value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = '']) => ({ name, what }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part) => inside(part, what));
}
