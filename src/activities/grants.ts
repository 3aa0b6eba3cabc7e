import type { Agent } from '#contract/agent';
import type { Vouches } from '#signing/pinned';
import type { McpOffer } from '#tools/mcp';

/** For the model to read, and for whoever runs Parley. */
export function notGranted(what: string): string {
  return `Not run: ${whyNot(what)}.`;
}

function whyNot(what: string): string {
  return `no agent's file here says this of ${what}, and it is not sealed with the PARLEY_SECRET that is set here`;
}

type Servers = NonNullable<Agent['mcp']>;

/** The servers that the agent may use; the others are told to be missing, and are neither started nor called. */
export function grantedServers(
  { mcp = {}, seals }: Agent,
  vouches: Vouches,
): { servers: Servers; refused: McpOffer['unreachable'] } {
  const all = Object.entries(mcp);
  const granted = all.filter(([, server]) => vouches({ server }, seals));
  const others = all.filter((entry) => !granted.includes(entry));
  return {
    servers: Object.fromEntries(granted),
    refused: others.map(([server]) => ({ server, why: whyNot(server), isRefused: true })),
  };
}
