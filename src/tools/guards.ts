import type { Agent } from '#contract/agent';
import { isMeant, OF, serverOf } from '#core/permission';
import type { McpOffer } from './mcp';

/**
 * A guard that fits none of a server's tools guards nothing: it is misspelt, or the tool was renamed. Then none of that
 * server's tools may be used, rather than one that somebody meant to guard.
 */
export function withGuards(agent: Agent, offer: McpOffer): McpOffer {
  const idle = (agent.tools ?? []).flatMap(({ name, requiresConfirmation }) => {
    const server = requiresConfirmation ? serverOf(agent, name)?.name : undefined;
    const isDown = offer.unreachable.some((one) => one.server === server);
    const isKnown = offer.tools.some((tool) => isMeant(name, tool.name));
    return server === undefined || isDown || isKnown ? [] : [{ server, name }];
  });
  if (idle.length === 0) return offer;
  const tools = offer.tools.filter(
    ({ name }) => !idle.some(({ server }) => name.startsWith(`${server}${OF}`)),
  );
  const refused = idle.map(({ server, name }) => ({
    server,
    why: whyNot(server, name),
    isRefused: true as const,
  }));
  return { tools, unreachable: [...offer.unreachable, ...refused] };
}

function whyNot(server: string, name: string): string {
  return `the agent's file requires confirmation for ${name}, which ${server} does not have; so none of its tools may be used until the file is mended`;
}
