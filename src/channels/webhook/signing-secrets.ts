import { createHmac } from 'node:crypto';
import type { WebhookEndpointSecrets } from '#contract/channel-settings';

/**
 * The secrets that webhooks to a URL are signed with, newest first: those of the most specific endpoint that the operator
 * configured, else one derived from Parley's secret for this URL alone, so that no receiver can sign for another.
 */
export function resolveWebhookSecrets(
  url: string,
  endpointSecrets: readonly WebhookEndpointSecrets[],
  secret: string,
): string[] {
  const matching = endpointSecrets.filter(({ endpoint }) => isUnderEndpoint(url, endpoint));
  const [closest] = matching.sort((a, b) => b.endpoint.length - a.endpoint.length);
  return closest?.secrets ?? [deriveWebhookSecret(url, secret)];
}

export function deriveWebhookSecret(url: string, secret: string): string {
  const { origin, pathname } = new URL(url);
  const key = createHmac('sha256', secret).update(`webhook\n${origin}${pathname}`).digest('base64');
  return `whsec_${key}`;
}

function isUnderEndpoint(url: string, endpoint: string): boolean {
  if (endpoint === '*') return true;
  const [receiver, base] = [new URL(url), new URL(endpoint)];
  if (receiver.origin !== base.origin) return false;
  const basePath = base.pathname.replace(/\/+$/, '');
  return receiver.pathname === basePath || receiver.pathname.startsWith(`${basePath}/`);
}
