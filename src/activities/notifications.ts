import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ChannelError, type ChannelSender, type DeliveryRef } from '#channels/channel';
import type { ConversationMemo } from '#core/projections';
import { channelName, channelTarget } from '#core/questions/notifications';
import type { DeliveryContent, DeliveryRecipient } from '#workflows/delivery';
import { type ExportDeps, exportEndedConversation } from './export-ended-conversation';
import { jitteredBackoff } from './retry-delay';

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

function findChannel(channels: ChannelSender[], destination: string): ChannelSender {
  const name = channelName(destination);
  const channel = channels.find((candidate) => candidate.name === name);
  if (channel) return channel;
  throw ApplicationFailure.nonRetryable(
    `The channel "${name}" is not set up on this worker. See docs/guides/channels.md.`,
    'no_such_channel',
  );
}

/** Maps a failure to a retryable or final one. Retries back off. */
async function withRetry<T>(work: () => Promise<T>, logMessage = 'Failed to send a notification'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message } = error as Error;
    const { log, info } = Context.current();
    log.warn(logMessage, { why: message, attempt: info.attempt });
    if (!(error instanceof ChannelError)) throw toRetryableFailure(message);
    if (error.isPermanent)
      throw ApplicationFailure.nonRetryable(error.message, error.isUnsubscribed ? 'gone' : 'undeliverable');
    throw toRetryableFailure(message, error.retryAfterMs);
  }
}

const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 3_600_000;

function toRetryableFailure(message: string, retryAfterMs = 0): ApplicationFailure {
  const { attempt } = Context.current().info;
  const nextRetryDelay = Math.max(retryAfterMs, jitteredBackoff(attempt, FIRST_RETRY_MS, MAX_RETRY_MS));
  return ApplicationFailure.create({ message, type: 'not_sent', nextRetryDelay });
}
