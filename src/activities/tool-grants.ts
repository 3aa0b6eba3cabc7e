import type { GrantVerifier } from '#agents/grant-signature';
import type { Agent } from '#contract/agent';
import type { McpCatalog } from '#tools/mcp/catalog';

/** Read by the model and by operators. */
export function notGrantedMessage(what: string): string {
  return `Not run: ${notGrantedReason(what)}.`;
}

function notGrantedReason(what: string): string {
  return `no local agent file grants ${what}, and the grant is not signed with this worker's PARLEY_SECRET`;
}

type McpServerMap = NonNullable<Agent['mcp']>;

/** Splits the agent's MCP servers into granted and refused ones. Refused ones are neither started nor called. */
export function selectGrantedServers(
  { mcp, grantSignatures }: Agent,
  verifyGrant: GrantVerifier,
): { servers: McpServerMap; refused: McpCatalog['unreachable'] } {
  const all = Object.entries(mcp);
  const granted = all.filter(([, server]) => verifyGrant({ server }, grantSignatures));
  const others = all.filter((entry) => !granted.includes(entry));
  return {
    servers: Object.fromEntries(granted),
    refused: others.map(([server]) => ({ server, reason: notGrantedReason(server), isRefused: true })),
  };
}
