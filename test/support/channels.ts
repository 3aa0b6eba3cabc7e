import type { Channel, ChannelSender } from '#channels/channel';
import { CHANNELS } from '#channels/registry';

/** The channels there are, of which only those of these senders are configured; a sender of another name is a channel of its own. */
export function channelsWithSenders(senders: readonly ChannelSender[]): Channel[] {
  const known: Channel[] = CHANNELS.map((channel) => ({
    ...channel,
    ...senderSettings(senders.find(({ name }) => name === channel.name)),
  }));
  const others = senders.filter(({ name }) => !CHANNELS.some((channel) => channel.name === name));
  return [
    ...known,
    ...others.map((sender) => ({
      name: sender.name,
      target: { pattern: /./, example: 'anything', forms: ['target'] },
      label: sender.name,
      ...senderSettings(sender),
    })),
  ];
}

function senderSettings(sender: ChannelSender | undefined) {
  return {
    readSettings: () => (sender ? {} : undefined),
    createSender: () => sender as ChannelSender,
    createInboundRoutes: undefined,
  };
}
