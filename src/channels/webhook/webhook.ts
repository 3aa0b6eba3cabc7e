import type { EndpointSecrets } from '../../contract/channel-settings';
import type { CheckedNetwork } from '../../network/network';
import type { Channel } from '../channel';

export interface WebhookSettings {
  secrets: readonly EndpointSecrets[];
  secret: string;
  network: CheckedNetwork;
}

/** Tells a program: by callback, signed. */
export function webhookChannel(_settings: WebhookSettings): Channel {
  const unbuilt = async () => {
    throw new Error('not built');
  };
  return { name: 'webhook', send: unbuilt, remind: unbuilt, settle: unbuilt };
}
