import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Channel, DeliveryRef } from '#channels/channel';
import type { ConversationMemo } from '#core/projections';
import { channelTarget } from '#core/questions/notifications';
import { findChannel, withRetry } from './retry';

/** Which notice to send. What it says is read from the run: the question is in history once. */
export interface NotificationRequest {
  question: string;
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
  first?: DeliveryRef;
  /** It may have been sent by the run before. */
  again?: boolean;
}

/** Tell somebody of an open question. False, and nothing is sent, where it has been settled since. */
export async function sendNotification(
  { channels, client }: { channels: Channel[]; client: Client },
  order: NotificationRequest,
): Promise<{ sent: boolean; ref?: DeliveryRef }> {
  const { workflowExecution, attempt } = Context.current().info;
  const { workflowId, runId } = workflowExecution as { workflowId: string; runId: string };
  const channel = findChannel(channels, order.channel);
  const { memo, status } = await client.workflow.getHandle(workflowId, runId).describe();
  const { question, conversation, start, revoked, root = workflowId } = (memo ?? {}) as unknown as ConversationMemo;
  if (status.name !== 'RUNNING' || question?.id !== order.question) return { sent: false };
  const notice = {
    id: `${workflowId}/${question.id}/${order.number}`,
    place: order.url ?? channelTarget(order.channel),
    at: order.at ?? question.askedAt,
    what: order.what,
    to: order.to,
    question,
    title: conversation.title,
    links: conversation.links,
    root,
    access: start.access,
    revoked: revoked?.[question.id] ?? [],
    isRepeat: attempt > 1 || order.again === true,
  };
  const { first } = order;
  const ref = await withRetry(() => (first ? channel.remind(notice, first) : channel.send(notice)));
  return { sent: true, ref };
}
