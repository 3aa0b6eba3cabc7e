import { z } from 'zod';
import type { Channel } from '#channels/channel';
import { createWebhookSender } from './sender';
import { type WebhookEndpointSecrets, WebhookSecrets } from './signing-secrets';

const WebhookEnvironment = z.object({ PARLEY_WEBHOOK_SECRETS: WebhookSecrets.optional() });

export interface WebhookSettings {
  endpointSecrets: WebhookEndpointSecrets[];
}

/** Sends signed webhooks to the callback URL of a conversation. Receivers answer over HTTP. */
export const webhookChannel: Channel<WebhookSettings> = {
  name: 'webhook',
  label: 'Webhook',
  environment: WebhookEnvironment,
  readSettings: ({ PARLEY_WEBHOOK_SECRETS: endpointSecrets = [] }: z.infer<typeof WebhookEnvironment>) => ({
    endpointSecrets,
  }),
  createSender: ({ endpointSecrets }, { secret, httpClient }) =>
    createWebhookSender({ endpointSecrets, secret, httpClient }),
  findAgentWarnings: ({ callbackUrl }) =>
    callbackUrl ? [] : ['notify: webhook has no effect unless a conversation is started with a callbackUrl'],
  test: {
    note: 'always on: sent to the callbackUrl of the conversation or its agent',
    target: {
      pattern: /^https?:\/\/\S+$/,
      missing: 'Add the receiver URL, such as webhook:https://hooks.example.com/parley.',
      listFrom: ({ callbackUrl }) => (callbackUrl ? [callbackUrl] : []),
    },
  },
};
