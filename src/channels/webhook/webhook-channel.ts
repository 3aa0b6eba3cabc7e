import { z } from 'zod';
import type { Channel } from '#channels/channel';
import { CHANNEL_LABELS } from '#presentation/labels';
import { createWebhookSender } from './sender';
import { type WebhookEndpointSecrets, WebhookSecrets } from './signing-secrets';

const WebhookEnvironment = z.object({ PARLEY_WEBHOOK_SECRETS: WebhookSecrets.optional() });

export interface WebhookSettings {
  endpointSecrets: WebhookEndpointSecrets[];
}

/** Sends signed webhooks to the callback URL of a conversation. Receivers answer over HTTP. */
export const webhookChannel: Channel<WebhookSettings> = {
  name: 'webhook',
  label: CHANNEL_LABELS.webhook,
  environment: WebhookEnvironment,
  readSettings: ({ PARLEY_WEBHOOK_SECRETS: endpointSecrets = [] }: z.infer<typeof WebhookEnvironment>) => ({
    endpointSecrets,
  }),
  createSender: ({ endpointSecrets }, { secret, httpClient }) =>
    createWebhookSender({ endpointSecrets, secret, httpClient }),
  findAgentWarnings: ({ callbackUrl }) =>
    callbackUrl ? [] : ['notify: webhook tells nobody, unless a conversation is started with a callbackUrl'],
  test: {
    note: 'always there: to the callbackUrl of a conversation, or of its agent',
    target: {
      pattern: /^https?:\/\/\S+$/,
      missing: 'Say which receiver, as in webhook:https://hooks.example.com/parley.',
      listFrom: ({ callbackUrl }) => (callbackUrl ? [callbackUrl] : []),
    },
  },
};
