import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ChannelSender, DeliveryRef } from '#channels/channel';
import type { ConversationMemo } from '#core/projections';
import { channelTarget } from '#core/questions/notifications';
import { findChannel, withRetry } from './delivery-retry';

/** Identifies a notification. Its content is read from the run, so that the question is in history only once. */
export interface NotificationRequest {
  questionId: string;
  number: number;
  /** The destination, such as `slack:#ops`. */
  channel: string;
  /** Due time. */
  at?: string;
  what: string;
  to: string[];
  /** URL of the callback. */
  url?: string;
  /** Reference of the first copy at the same destination. */
  firstCopy?: DeliveryRef;
  /** It may have been sent by the previous run. */
  maybeSent?: boolean;
}

/** Sends a notification about the open question. Sends nothing if it was resolved meanwhile. */
export async function sendNotification(
  { channels, client }: { channels: ChannelSender[]; client: Client },
  request: NotificationRequest,
): Promise<{ sent: boolean; ref?: DeliveryRef }> {
  const { workflowExecution, attempt } = Context.current().info;
  const { workflowId, runId } = workflowExecution as { workflowId: string; runId: string };
  const channel = findChannel(channels, request.channel);
  const { memo, status } = await client.workflow.getHandle(workflowId, runId).describe();
  const { question, conversation, start, revokedLinks, root } = (memo ?? {}) as unknown as ConversationMemo;
  if (status.name !== 'RUNNING' || question?.id !== request.questionId) return { sent: false };
  const notification = {
    id: `${workflowId}/${question.id}/${request.number}`,
    target: request.url ?? channelTarget(request.channel),
    dueAt: request.at ?? question.askedAt,
    reason: request.what,
    escalatedTo: request.to,
    question,
    title: conversation.title,
    links: conversation.links,
    rootConversationId: root,
    access: start.access,
    linksRevokedFor: revokedLinks?.[question.id] ?? [],
    mayBeDuplicate: attempt > 1 || request.maybeSent === true,
  };
  const { firstCopy } = request;
  const ref = await withRetry(() => (firstCopy ? channel.remind(notification, firstCopy) : channel.send(notification)));
  return { sent: true, ref };
}
