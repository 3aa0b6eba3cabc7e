import type { McpServer } from '#contract/agent';
import type { McpOffer, McpTool } from '#tools/mcp';
import { defineTool } from './definition';
import type { Listed } from './listing';
import { nameTools } from './names';

/** As much of the model's window as tools of servers may take, in characters of JSON. */
export const DEFINITIONS_LENGTH = 200_000;

/** Of a server's tools, those the agent may call, by the names the model knows. */
export function usableTools(
  name: string,
  { tools: wanted }: McpServer,
  tools: Listed[],
): Map<string, Listed> {
  const named = nameTools(name, tools);
  for (const [known, { name: own, execution }] of named) {
    // A task would have to be waited for by polling, which is not done here.
    if (execution.taskSupport === 'required' || wanted?.includes(own) === false) named.delete(known);
  }
  return named;
}

export type Found = { server: string } & ({ tools: McpTool[] } | { why: string });

/** One offer of all, within what the model can be told. */
export function offerOf(found: Found[]): McpOffer {
  const offer: McpOffer = { tools: [], unreachable: [] };
  let left = DEFINITIONS_LENGTH;
  for (const one of found) {
    if ('why' in one) {
      offer.unreachable.push(one);
      continue;
    }
    const fitting = one.tools.filter((tool) => {
      const length = JSON.stringify(tool).length;
      if (length > left) return false;
      left -= length;
      return true;
    });
    offer.tools.push(...fitting);
    const over = one.tools.length - fitting.length;
    if (over > 0) offer.unreachable.push({ server: one.server, why: tooMany(over, one.tools.length) });
  }
  return offer;
}

function tooMany(over: number, all: number): string {
  return `${over} of its ${all} tools are left out, since all tools together may take ${DEFINITIONS_LENGTH / 1_000} KB; the agent's file can say which are wanted`;
}

const defined = new WeakMap<Listed, McpTool>();

/** Made once for each tool that was listed: schemas are dear to check. */
export function definitionOf(name: string, tool: Listed): McpTool {
  const definition = defined.get(tool) ?? defineTool(name, tool);
  defined.set(tool, definition);
  return { ...definition, name };
}
