import { createHmac } from 'node:crypto';
import type { Agent } from '#contract/agent';
import { canonicalJson } from '#core/digest';
import { type AgentGrant, listAgentGrants } from '#core/tools/grants';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';

/** Is this what an agent's file says? `seals` are those of the agent, which whoever started the conversation may have made up. */
export type GrantVerifier = (grant: AgentGrant, seals: unknown) => boolean;

/** An agent to be pinned, with a seal on each thing that its file grants: nobody without the secret can add one. */
export function signAgentGrants(secret: string, agent: Agent): Agent {
  const seals = listAgentGrants(agent).map((grant) => signGrant(secret, grant));
  return seals.length > 0 ? { ...agent, seals } : agent;
}

/** Our own API has sealed it, or a file here says the same: what was pinned before there were seals has none. */
export function createGrantVerifier(secret: string, agentsHere: readonly Agent[]): GrantVerifier {
  const here = new Set(agentsHere.flatMap(listAgentGrants).map(canonicalJson));
  return (grant, seals) => {
    if (here.has(canonicalJson(grant))) return true;
    const wanted = signGrant(secret, grant);
    return Array.isArray(seals) && seals.some((seal) => typeof seal === 'string' && isTimingSafeEqual(seal, wanted));
  };
}

function signGrant(secret: string, grant: AgentGrant): string {
  return createHmac('sha256', secret)
    .update(`grant\n${canonicalJson(grant)}`)
    .digest('base64url');
}
