import { createHmac } from 'node:crypto';
import type { WebhookEndpointSecrets } from '#contract/channel-settings';

/**
 * What webhooks to that address are signed with, the newest first: what the operator set for the longest beginning of it,
 * else one of its own that is made from Parley's secret, so that no receiver can sign for another.
 */
export function resolveWebhookSecrets(url: string, set: readonly WebhookEndpointSecrets[], secret: string): string[] {
  const fitting = set.filter(({ endpoint }) => isUnderEndpoint(url, endpoint));
  const [closest] = fitting.sort((a, b) => b.endpoint.length - a.endpoint.length);
  return closest?.secrets ?? [deriveWebhookSecret(url, secret)];
}

export function deriveWebhookSecret(url: string, secret: string): string {
  const { origin, pathname } = new URL(url);
  const made = createHmac('sha256', secret).update(`webhook\n${origin}${pathname}`).digest('base64');
  return `whsec_${made}`;
}

function isUnderEndpoint(url: string, endpoint: string): boolean {
  if (endpoint === '*') return true;
  const [at, under] = [new URL(url), new URL(endpoint)];
  if (at.origin !== under.origin) return false;
  const folder = under.pathname.replace(/\/+$/, '');
  return at.pathname === folder || at.pathname.startsWith(`${folder}/`);
}
