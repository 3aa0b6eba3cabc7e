import { McpName, McpServer } from '#contract/agent';
import { type Fault, noSuchField } from '#contract/sentences';
import { type Draft, fieldOf, isGroup } from './draft';
import { faultsOf } from './sentences';

/** What the agent says of MCP servers that a schema of one server cannot tell. */
export function serverFaults({ value }: Draft): Fault[] {
  const servers = fieldOf(value, 'mcp');
  return Object.entries(isGroup(servers) ? servers : {}).flatMap(([name, server]) => [
    ...faultsOf(McpName, name).map(({ message }) => ({ path: ['mcp', name], message })),
    ...strayFields(server).map((one) => ({ ...one, path: ['mcp', name, ...one.path] })),
  ]);
}

/** Of a server that is of neither kind it cannot be said what is missing, but what it should not have. */
function strayFields(server: unknown): Fault[] {
  const kinds = McpServer.options.map(({ shape }) => Object.keys(shape));
  const isOfAKind = kinds.some(([kind = '']) => fieldOf(server, kind) !== undefined);
  if (!isGroup(server) || isOfAKind) return [];
  const known = [...new Set(kinds.flat())];
  return Object.keys(server)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: [field], message: noSuchField(field, known) }));
}
