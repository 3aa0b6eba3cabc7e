import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Channel, DeliveryRef } from '#channels/channel';
import type { ConversationMemo } from '#core/projections';
import { channelTarget } from '#core/questions/notifications';
import { findChannel, withRetry } from './delivery-retry';

/** Which notice to send. What it says is read from the run: the question is in history once. */
export interface NotificationRequest {
  questionId: string;
  number: number;
  /** Channel and place, as `slack:#ops`. */
  channel: string;
  /** When it was due. */
  at?: string;
  what: string;
  to: string[];
  /** Of the callback. */
  url?: string;
  /** What the first copy at the same place left. */
  firstCopy?: DeliveryRef;
  /** It may have been sent by the run before. */
  maybeSent?: boolean;
}

/** Tell somebody of an open question. False, and nothing is sent, where it has been settled since. */
export async function sendNotification(
  { channels, client }: { channels: Channel[]; client: Client },
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
