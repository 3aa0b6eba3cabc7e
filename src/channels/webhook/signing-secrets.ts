import { createHmac } from 'node:crypto';
import { entriesOf, parsedText } from '#contract/error-messages';

/** Secrets as in Standard Webhooks: at least 24 bytes in base64. */
export const WEBHOOK_SECRET_PATTERN = /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}={0,2}|[A-Za-z0-9+/]{3}=?)?$/;

/** The secrets of the receivers at and below an address, newest first; `*` for all others. */
export interface WebhookEndpointSecrets {
  endpoint: string;
  secrets: string[];
}

const WebhookSecretEntry = parsedText((entry): WebhookEndpointSecrets | string => {
  const separatorIndex = entry.indexOf('=whsec_');
  const endpoint = entry.slice(0, Math.max(0, separatorIndex));
  const secrets = separatorIndex < 0 ? [] : entry.slice(separatorIndex + 1).split(',');
  // The message never includes the entry itself, which holds secrets.
  const fail = (message: string) => `${URL.canParse(endpoint) ? endpoint : 'an entry'}: ${message}`;
  if (secrets.length === 0) return fail('write URL=whsec_…, with several secrets separated by commas, newest first');
  if (endpoint !== '*' && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    return fail('start with a receiver URL such as https://hooks.example.com/parley, or * for all others');
  if (secrets.some((secret) => !WEBHOOK_SECRET_PATTERN.test(secret)))
    return fail('a secret must be whsec_ followed by at least 24 bytes in base64');
  return { endpoint, secrets };
});

/** `PARLEY_WEBHOOK_SECRETS`: entries separated by white space or semicolons. */
export const WebhookSecrets = entriesOf(WebhookSecretEntry);

/**
 * Returns the secrets that webhooks to a URL are signed with, newest first: those of the most specific endpoint that
 * the operator configured, else one derived from Parley's secret for this URL alone, so that no receiver can sign for
 * another.
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
