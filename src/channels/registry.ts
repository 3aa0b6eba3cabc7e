import type { ChannelSettings } from '#contract/channel-settings';
import type { SafeHttpClient } from '#infra/http-client/client';
import type { Channel, DeliveryRef, OutgoingNotification } from './channel';
import { createEmailChannel } from './email/email-channel';
import { createSlackChannel } from './slack/slack-channel';
import { createWebhookChannel } from './webhook/webhook-channel';

export interface ChannelDeps {
  settings: ChannelSettings;
  /** The API's secret: signs answer links and reply addresses, and derives webhook secrets. */
  secret: string;
  /** Calls webhook receivers. */
  httpClient: SafeHttpClient;
  log: NotificationLog;
  /** No API keys are configured, so everybody may answer. */
  allowAnyone: boolean;
  /** Leaves titles and people out of the log, since conversations are encrypted. */
  redactLog?: boolean;
}

/** Creates every configured channel. */
export function createChannels({ settings, secret, httpClient, log, allowAnyone, redactLog }: ChannelDeps): Channel[] {
  const { people, webhookSecrets, slack, email } = settings;
  return [
    inboxChannel,
    createLogChannel(log, redactLog),
    createWebhookChannel({ endpointSecrets: webhookSecrets, secret, httpClient }),
    ...(slack ? [createSlackChannel(slack, people)] : []),
    ...(email ? [createEmailChannel(email, { people, allowAnyone }, secret)] : []),
  ];
}

/** Does nothing: the inbox lists every open question by itself, until it is resolved. */
const inboxChannel: Channel = {
  name: 'inbox',
  send: async () => ({}),
  remind: async () => ({}),
  updateCopy: async () => undefined,
};

/** The part of the worker's log that is used here. */
interface NotificationLog {
  warn(fields: object, message: string): void;
}

/** Writes a warning to the worker's log for each question that waits; redacted, it has neither title nor people. */
function createLogChannel(log: NotificationLog, redactLog = false): Channel {
  const write = async ({
    id,
    reason,
    question,
    title,
    escalatedTo,
    links,
  }: OutgoingNotification): Promise<DeliveryRef> => {
    const { conversationId: conversation, id: questionId, agent, expiresAt } = question;
    const answerAt = `${links.self}/questions/${questionId}/answer`;
    const details = redactLog ? {} : { title, to: escalatedTo };
    const fields = { notice: id, conversation, questionId, agent, ...details, expiresAt, answerAt };
    log.warn(fields, `A question waits for an answer (${reason})`);
    return {};
  };
  return {
    name: 'log',
    send: write,
    remind: write,
    updateCopy: async () => undefined,
  };
}
