import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Channel } from '../channels/channel';
import type { Memo } from '../core/view';

/** Which notice to send. What it says is read from the run: the question is in history once. */
export interface NoticeOrder {
  question: string;
  number: number;
  channel: string;
  what: string;
  to: string[];
}

/** Tell somebody of an open question. False, and nothing is sent, where it has been settled since. */
export async function notify(
  { channels, client }: { channels: Channel[]; client: Client },
  order: NoticeOrder,
): Promise<{ sent: boolean }> {
  const { workflowId, runId } = Context.current().info.workflowExecution as {
    workflowId: string;
    runId: string;
  };
  const channel = channels.find(({ name }) => name === order.channel);
  if (!channel) {
    throw ApplicationFailure.nonRetryable(
      `This worker has no channel "${order.channel}".`,
      'no_such_channel',
    );
  }
  const { memo, status } = await client.workflow.getHandle(workflowId, runId).describe();
  const { question, conversation } = (memo ?? {}) as unknown as Memo;
  if (status.name !== 'RUNNING' || question?.id !== order.question) return { sent: false };
  await channel.send({
    id: `${workflowId}/${question.id}/${order.number}`,
    what: order.what,
    question,
    title: conversation.title,
    to: order.to,
    links: conversation.links,
  });
  return { sent: true };
}
