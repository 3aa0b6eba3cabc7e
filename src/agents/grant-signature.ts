import { createHmac } from 'node:crypto';
import type { Agent } from '#contract/agent';
import { canonicalJson } from '#core/digest';
import { type AgentGrant, listAgentGrants } from '#core/tools/grants';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';

/** Checks that a grant comes from an agent file. `signatures` are untrusted: the caller sent them. */
export type GrantVerifier = (grant: AgentGrant, signatures: unknown) => boolean;

/** Signs every grant of an agent before it is pinned. Only a holder of the secret can add a signature. */
export function signAgentGrants(secret: string, agent: Agent): Agent {
  const signatures = listAgentGrants(agent).map((grant) => signGrant(secret, grant));
  return signatures.length > 0 ? { ...agent, grantSignatures: signatures } : agent;
}

/** Accepts a grant that the API signed or a local agent file contains. Agents pinned before 0.8 have no signatures. */
export function createGrantVerifier(secret: string, localAgents: readonly Agent[]): GrantVerifier {
  const localGrants = new Set(localAgents.flatMap(listAgentGrants).map(canonicalJson));
  return (grant, signatures) => {
    if (localGrants.has(canonicalJson(grant))) return true;
    const expected = signGrant(secret, grant);
    return (
      Array.isArray(signatures) &&
      signatures.some((signature) => typeof signature === 'string' && isTimingSafeEqual(signature, expected))
    );
  };
}

function signGrant(secret: string, grant: AgentGrant): string {
  return createHmac('sha256', secret)
    .update(`grant\n${canonicalJson(grant)}`)
    .digest('base64url');
}
