import type { ChannelSettings } from '#infra/config';
import type { Channel, ChannelSender, InboundRoute, SenderDeps } from './channel';
import { emailChannel } from './email/email-channel';
import type { InboundDeps } from './inbound';
import { inboxChannel } from './inbox';
import { logChannel } from './log';
import { slackChannel } from './slack/slack-channel';
import { webhookChannel } from './webhook/webhook-channel';

/** All channels. To add one, add it here. */
export const CHANNELS: readonly Channel[] = [inboxChannel, logChannel, slackChannel, emailChannel, webhookChannel];

/** Returns the label of each channel by its name. */
export function labelsOf(channels: readonly Channel[]): Record<string, string> {
  return Object.fromEntries(channels.map(({ name, label }) => [name, label]));
}

/** Creates the senders of every configured channel. */
export function createSenders(
  channels: readonly Channel[],
  { people, byName }: ChannelSettings,
  deps: Omit<SenderDeps, 'people'>,
): ChannelSender[] {
  return channels.flatMap((channel) => {
    const settings = byName[channel.name];
    return settings === undefined ? [] : [channel.createSender(settings, { ...deps, people })];
  });
}

/** Creates the inbound routes of every configured channel. */
export function createInboundRoutes(
  channels: readonly Channel[],
  { byName }: ChannelSettings,
  deps: InboundDeps,
): InboundRoute[] {
  return channels.flatMap((channel) => {
    const settings = byName[channel.name];
    return settings === undefined ? [] : (channel.createInboundRoutes?.(settings, deps) ?? []);
  });
}
