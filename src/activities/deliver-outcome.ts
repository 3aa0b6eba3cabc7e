import type { ChannelSender } from '#channels/channel';
import { channelTarget } from '#core/questions/notifications';
import type { DeliveryContent, DeliveryRecipient } from '#workflows/delivery';
import { findChannel, withRetry } from './delivery-retry';
import { type ExportDeps, exportEndedConversation } from './export-ended-conversation';

/** Delivers to one recipient. Temporal retries for three days. */
export async function deliverOutcome(
  { channels, ...exportDeps }: { channels: ChannelSender[] } & ExportDeps,
  content: DeliveryContent,
  { id, channel: destination, url, ref = {} }: DeliveryRecipient,
): Promise<void> {
  if (content.kind === 'export')
    return withRetry(() => exportEndedConversation(exportDeps, content.run), 'Failed to export a conversation');
  const channel = findChannel(channels, destination);
  const target = url ?? channelTarget(destination);
  await withRetry(async () => {
    if (content.kind === 'end')
      return channel.sendConversationEnd?.({ id, target, conversation: content.conversation });
    const { kind: _, ...outcome } = content;
    await channel.updateCopy({ id, target, ref, ...outcome });
  });
}
