import { Webhook } from 'standardwebhooks';
import type { AgentsByName } from '#agents/load-agents';
import { WEBHOOK_SECRET_PATTERN } from '#contract/channel-settings';
import { type Config, ConfigError } from '#infra/config';

/** For each agent that wants its webhooks signed, what checks them: more than one while a secret is being changed. */
export type HookSecrets = ReadonlyMap<string, Webhook[]>;

/** Reads the variables that the agents' files name, and names every fault. */
export function readHookSecrets(agents: AgentsByName, environment: Config['environment']): HookSecrets {
  const secrets = new Map<string, Webhook[]>();
  const faults: string[] = [];
  for (const { name, trigger } of agents.values()) {
    if (!trigger?.secret) continue;
    const written = environment[trigger.secret]?.split(/[\s,]+/).filter((secret) => secret !== '') ?? [];
    const checks = written.flatMap((secret) => webhookOf(secret) ?? []);
    if (written.length === 0 || checks.length < written.length)
      faults.push(
        `  ${trigger.secret}: the agent ${name} wants its webhooks signed; set it to whsec_ and at least 24 bytes in base64`,
      );
    secrets.set(name, checks);
  }
  if (faults.length > 0) throw new ConfigError(`The environment has faults:\n${faults.join('\n')}`);
  return secrets;
}

function webhookOf(secret: string): Webhook | undefined {
  return WEBHOOK_SECRET_PATTERN.test(secret) ? new Webhook(secret) : undefined;
}
