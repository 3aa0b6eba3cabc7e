import { ApplicationFailure, ChildWorkflowFailure, startChild, workflowInfo } from '@temporalio/workflow';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';
import { truncateText } from '#core/json';
import { toConversation } from '#core/projections';
import type { DeliveredCopy, PendingCopyUpdate } from '#core/questions/notifications';
import { WEBHOOK_CHANNEL } from '#core/questions/schedule';
import { deliverOutcomeActivity } from './activity-options';
import { DELIVERY_WORKFLOW_TYPE } from './messages';
import { describeFailure } from './runtime/cancel-when';

/** Delivers one outcome to every recipient, for up to three days. Returns true if a receiver answered 410 Gone. */
export async function delivery(batch: DeliveryBatch): Promise<boolean> {
  const failures: string[] = [];
  const goneChannels = new Set<string>();
  const deliverTo = async (recipient: DeliveryRecipient) => {
    try {
      await deliverOutcomeActivity.executeWithOptions({ summary: `${recipient.id} by ${recipient.channel}` }, [
        deliveryJobFor(batch, recipient),
      ]);
    } catch (error) {
      const { code, message } = describeFailure(error, 'not_delivered', 'the channel could not be reached');
      if (code === 'gone') goneChannels.add(recipient.channel);
      else failures.push(`${recipient.channel}: ${message}`);
    }
  };
  // One at a time per channel, so that a place gets its updates in order.
  const deliverInOrder = async (channel: string) => {
    for (const recipient of batch.recipients)
      if (recipient.channel === channel && !goneChannels.has(channel)) await deliverTo(recipient);
  };
  await Promise.all([...new Set(batch.recipients.map(({ channel }) => channel))].map(deliverInOrder));
  const isGone = goneChannels.size > 0;
  if (failures.length === 0) return isGone;
  const message = failures.join('\n');
  throw ApplicationFailure.create({ message, type: 'not_delivered', nonRetryable: true, details: [isGone] });
}

/**
 * Resolves once the delivery workflow has started; from then on it outlives this run. Never rejects: that would block
 * the run.
 */
export async function startDelivery(
  id: string,
  batch: DeliveryBatch,
  onDone: (isGone: boolean) => void,
): Promise<void> {
  const subject = batch.question?.id ?? 'the conversation';
  try {
    const child = await startChild<typeof delivery>(DELIVERY_WORKFLOW_TYPE, {
      workflowId: `${id}/delivery`,
      args: [batch],
      staticSummary: `Delivers the outcome of ${subject}: ${truncateText(batch.title, 80)}`,
      parentClosePolicy: 'ABANDON',
      cancellationType: 'ABANDON',
    });
    void child.result().then(onDone, (error: unknown) => onDone(isReceiverGone(error)));
  } catch {
    // A delivery with that id exists already: this run was reset and repeats its steps.
  }
}

function isReceiverGone(error: unknown): boolean {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.details?.[0] === true;
}

/** One place to deliver to, and what: the outcome of a question, or the end of the conversation. */
interface DeliveryRecipient {
  /** The same for every attempt, so that receivers can drop duplicates. */
  id: string;
  channel: string;
  delivers: 'outcome' | 'end' | 'export';
  /** URL of the callback. */
  url?: string;
  ref?: Record<string, string>;
  /** What to export: this run of the conversation has ended. */
  run?: { workflowId: string; runId: string };
}

/** What one delivery workflow delivers, and to whom. */
export interface DeliveryBatch {
  title: string;
  links: ConversationLinks;
  root: string;
  question?: Question;
  ended?: Conversation;
  recipients: DeliveryRecipient[];
}

/** One delivery to one recipient. */
export type DeliveryJob = Omit<DeliveryBatch, 'recipients'> & Omit<DeliveryRecipient, 'delivers'>;

function deliveryJobFor(
  { recipients, question, ended, ...shared }: DeliveryBatch,
  { delivers, ...recipient }: DeliveryRecipient,
): DeliveryJob {
  return { ...shared, ...recipient, ...(delivers === 'outcome' ? { question } : delivers === 'end' ? { ended } : {}) };
}

export function createDeliveryBatch(
  { title, links, root }: ConversationState,
  content: Pick<DeliveryBatch, 'question' | 'ended' | 'recipients'>,
): DeliveryBatch {
  return { title, links, root, ...content };
}

/** The callback is told of every outcome; the others where they have a copy. */
export function outcomeRecipients(state: ConversationState, copyUpdate: PendingCopyUpdate): DeliveryRecipient[] {
  const { id, callbackUrl: url } = state;
  const callback = {
    id: `${id}/${copyUpdate.question.id}/settled`,
    channel: WEBHOOK_CHANNEL,
    delivers: 'outcome' as const,
  };
  return [...(url ? [{ ...callback, url }] : []), ...copyRecipients(state, copyUpdate)];
}

export function copyRecipients(
  { id }: ConversationState,
  { question, copies }: PendingCopyUpdate,
): DeliveryRecipient[] {
  return copies.map(({ channel, number, ref }: DeliveredCopy) => ({
    id: `${id}/${question.id}/${number}/settled`,
    channel,
    delivers: 'outcome',
    ref,
  }));
}

/** A sub-agent's end is the business of the one it works for; what it was is exported all the same. */
export function endRecipients({
  id,
  callbackUrl: url,
  parent,
  lastEntryId,
  exportOnEnd,
}: ConversationState): DeliveryRecipient[] {
  const end = `${id}/end-${lastEntryId}`;
  const run = { workflowId: id, runId: workflowInfo().runId };
  const callback: DeliveryRecipient = { id: end, channel: WEBHOOK_CHANNEL, delivers: 'end', url: url ?? undefined };
  const exportRecipient: DeliveryRecipient = { id: `${end}/export`, channel: EXPORT_CHANNEL, delivers: 'export', run };
  return [...(url && !parent ? [callback] : []), ...(exportOnEnd ? [exportRecipient] : [])];
}

/** Not a channel: the delivery that writes the export. */
const EXPORT_CHANNEL = 'export';

const MAX_DELIVERED_RESULT_LENGTH = 12_000;

export function toEndedConversation(state: ConversationState): Conversation {
  return {
    ...toConversation(state),
    result: state.result && truncateText(state.result, MAX_DELIVERED_RESULT_LENGTH),
  };
}
