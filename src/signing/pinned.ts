import { createHmac } from 'node:crypto';
import type { Agent } from '#contract/agent';
import { canonical } from '#core/digest';
import { type Grant, grantsOf } from '#core/permission';
import { isSame } from './same';

/** Is this what an agent's file says? `seals` are those of the agent, which whoever started the conversation may have made up. */
export type Vouches = (grant: Grant, seals: unknown) => boolean;

/** An agent to be pinned, with a seal on each thing that its file grants: nobody without the secret can add one. */
export function withSeals(secret: string, agent: Agent): Agent {
  const seals = grantsOf(agent).map((grant) => sealOf(secret, grant));
  return seals.length > 0 ? { ...agent, seals } : agent;
}

/** Our own API has sealed it, or a file here says the same: what was pinned before there were seals has none. */
export function vouching(secret: string, agentsHere: readonly Agent[]): Vouches {
  const here = new Set(agentsHere.flatMap(grantsOf).map(canonical));
  return (grant, seals) => {
    if (here.has(canonical(grant))) return true;
    const wanted = sealOf(secret, grant);
    return Array.isArray(seals) && seals.some((seal) => typeof seal === 'string' && isSame(seal, wanted));
  };
}

function sealOf(secret: string, grant: Grant): string {
  return createHmac('sha256', secret)
    .update(`grant\n${canonical(grant)}`)
    .digest('base64url');
}
