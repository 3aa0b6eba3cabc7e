import type { SafeHttpClient } from '#infra/http-client/client';
import { isLoopbackHost } from '#infra/loopback';

interface ReceiverConfig {
  apiKeys: unknown;
  internalHosts: string[];
  temporal: { address: string | undefined };
}

/**
 * Returns the internal hosts that webhooks may call: those the operator names, and this machine if Parley is local
 * only, with no API keys and a Temporal server on loopback.
 */
export function listAllowedInternalHosts({ apiKeys, internalHosts, temporal: { address } }: ReceiverConfig): string[] {
  const isLocalOnly = !apiKeys && (address === undefined || isLoopbackHost(address));
  return isLocalOnly ? [...internalHosts, 'localhost', '127.0.0.0/8', '::1'] : internalHosts;
}

/**
 * Returns why webhooks may not go to the URL, whatever its name resolves to; null if they may. Checked at the start and
 * before each delivery.
 */
export function findReceiverUrlIssue(url: URL, httpClient: Pick<SafeHttpClient, 'isInternal'>): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `Webhook URLs must use https:, not ${url.protocol}.`;
  if (url.username !== '' || url.password !== '')
    return 'Webhook URLs must not contain a user name or password. Webhooks are signed instead.';
  if (url.protocol === 'https:' || httpClient.isInternal(url)) return null;
  return (
    `Webhooks to ${url.host} must use https. ` +
    'Plain http is allowed only for internal hosts listed in PARLEY_INTERNAL_HOSTS.'
  );
}

/** Also checks what the host resolves to now: for a caller who names the URL and can still fix it. */
export async function findCallbackUrlIssue(callbackUrl: string, httpClient: SafeHttpClient): Promise<string | null> {
  if (!URL.canParse(callbackUrl)) return 'Invalid URL. Enter a full URL, starting with https://.';
  const url = new URL(callbackUrl);
  return findReceiverUrlIssue(url, httpClient) ?? (await httpClient.findDenialReason(url));
}
