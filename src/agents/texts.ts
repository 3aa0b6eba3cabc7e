import type { Agent } from '#contract/agent';
import { isGroup } from './draft';

/** A text in an agent's front matter. */
export interface Text {
  path: string[];
  text: string;
  /** What it is for, as a person would say it. */
  what: string;
  /** Is `${NAME}` filled in there? */
  isFilled: boolean;
}

const FILLED_IN_SERVERS = ['args', 'env', 'url', 'headers'];

/** Every text but the prompt, in which anything may stand. */
export function textsOf({ prompt, tools = [], mcp = {}, ...rest }: Agent): Text[] {
  return [
    ...tools.flatMap(({ name, requiresConfirmation, ...settings }) =>
      inside(settings, ['tools', name], { what: `the tool ${name}`, isFilled: isFilledBy(name) }),
    ),
    ...Object.entries(mcp).flatMap(([name, server]) =>
      inside(server, ['mcp', name], {
        what: `the MCP server ${name}`,
        isFilled: ([, , field = '']) => FILLED_IN_SERVERS.includes(field),
      }),
    ),
    ...inside(rest, [], { what: '', isFilled: () => false }),
  ];
}

type Kind = { what: string; isFilled: (path: string[]) => boolean };

/** Another tool may fill in what it likes. */
const isFilledBy = (tool: string) => (path: string[]) => tool !== 'http_request' || path[2] === 'headers';

function inside(value: unknown, path: string[], kind: Kind): Text[] {
  if (typeof value === 'string')
    return [{ path, text: value, what: kind.what, isFilled: kind.isFilled(path) }];
  if (!isGroup(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => inside(part, [...path, name], kind));
}
