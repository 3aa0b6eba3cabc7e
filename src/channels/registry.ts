import type { ChannelSettings } from '#contract/channel-settings';
import type { SafeHttpClient } from '#infra/http-client/client';
import type { Channel, DeliveryRef, OutgoingNotification } from './channel';
import { createEmailChannel } from './email/email-channel';
import { createSlackChannel } from './slack/slack-channel';
import { createWebhookChannel } from './webhook/webhook-channel';

export interface ChannelDeps {
  settings: ChannelSettings;
  /** What links, reply addresses and made secrets of webhooks hang on: the API's own. */
  secret: string;
  /** The way to receivers of webhooks. */
  network: SafeHttpClient;
  log: NotificationLog;
  /** No keys are set: everybody may answer. */
  isOpen: boolean;
  /** What people say is for those who may see it, and not for logs. */
  isPrivate?: boolean;
}

/** Every channel that is set up. */
export function createChannels({ settings, secret, network, log, isOpen, isPrivate }: ChannelDeps): Channel[] {
  const { people, webhookSecrets, slack, email } = settings;
  return [
    inboxChannel,
    createLogChannel(log, isPrivate),
    createWebhookChannel({ secrets: webhookSecrets, secret, network }),
    ...(slack ? [createSlackChannel(slack, people)] : []),
    ...(email ? [createEmailChannel(email, { people, isOpen }, secret)] : []),
  ];
}

/** The inbox shows every open question by itself, and lets go of it when it is settled: that it was told is all there is to do. */
const inboxChannel: Channel = {
  name: 'inbox',
  send: async () => ({}),
  remind: async () => ({}),
  settle: async () => undefined,
};

/** As much of a log as is needed: the worker's own fits. */
interface NotificationLog {
  warn(about: object, message: string): void;
}

/** Tells those who read the worker's log that somebody is waited for; where that is private, not whom and what for. */
function createLogChannel(log: NotificationLog, isPrivate = false): Channel {
  const write = async ({ id, what, question, title, to, links }: OutgoingNotification): Promise<DeliveryRef> => {
    const { conversationId: conversation, id: questionId, agent, expiresAt } = question;
    const answerAt = `${links.self}/questions/${questionId}/answer`;
    const told = isPrivate ? {} : { title, to };
    const about = { notice: id, conversation, questionId, agent, ...told, expiresAt, answerAt };
    log.warn(about, `A question waits for an answer (${what})`);
    return {};
  };
  return {
    name: 'log',
    send: write,
    remind: write,
    settle: async () => undefined,
  };
}
