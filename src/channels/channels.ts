import type { ChannelSettings } from '#contract/channel-settings';
import type { CheckedNetwork } from '#network/network';
import type { Channel } from './channel';
import { emailChannel } from './email/email';
import { inboxChannel } from './inbox';
import { logChannel, type NoticeLog } from './log';
import { slackChannel } from './slack/slack';
import { webhookChannel } from './webhook/webhook';

export interface Means {
  settings: ChannelSettings;
  /** What links, reply addresses and made secrets of webhooks hang on: the API's own. */
  secret: string;
  /** The way to receivers of webhooks. */
  network: CheckedNetwork;
  log: NoticeLog;
  /** No keys are set: everybody may answer. */
  isOpen: boolean;
  /** What people say is for those who may see it, and not for logs. */
  isPrivate?: boolean;
}

/** Every channel that is set up. */
export function createChannels({ settings, secret, network, log, isOpen, isPrivate }: Means): Channel[] {
  const { people, webhookSecrets, slack, email } = settings;
  return [
    inboxChannel,
    logChannel(log, isPrivate),
    webhookChannel({ secrets: webhookSecrets, secret, network }),
    ...(slack ? [slackChannel(slack, people)] : []),
    ...(email ? [emailChannel(email, { people, isOpen }, secret)] : []),
  ];
}
