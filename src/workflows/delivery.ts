import { ApplicationFailure, ChildWorkflowFailure, startChild, workflowInfo } from '@temporalio/workflow';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';
import { truncateText } from '#core/json';
import { toConversation } from '#core/projections';
import type { DeliveredCopy } from '#core/questions/notifications';
import { WEBHOOK_CHANNEL } from '#core/questions/schedule';
import { deliverOutcomeActivity, onDeliveryQueue } from './activity-options';
import { DELIVERY_WORKFLOW_TYPE } from './messages';
import { describeFailure } from './runtime/cancel-when';

/** One content, and everyone who gets it. */
export interface Delivery {
  content: DeliveryContent;
  recipients: DeliveryRecipient[];
}

/** The outcome of a question, the end of the conversation, or the conversation itself, to be exported. */
export type DeliveryContent =
  | { kind: 'outcome'; question: Question; title: string; links: ConversationLinks; rootConversationId: string }
  | { kind: 'end'; conversation: Conversation }
  | { kind: 'export'; run: EndedRun };

export interface EndedRun {
  workflowId: string;
  runId: string;
}

export interface DeliveryRecipient {
  /** The same for every attempt, so that receivers can drop duplicates. */
  id: string;
  channel: string;
  /** The callback's URL. */
  url?: string;
  /** Identifies the copy of the question that the recipient has. */
  ref?: DeliveredCopy['ref'];
}

/** A separate workflow, as it may take three days. Returns true if a receiver replied 410 Gone. */
export async function delivery(deliveries: Delivery[]): Promise<boolean> {
  const failures: string[] = [];
  let isGone = false;
  const all = deliveries.flatMap(({ content, recipients }) => recipients.map((recipient) => ({ content, recipient })));
  // One at a time per channel, so that a recipient gets its updates in order.
  const deliverInOrder = async (channel: string) => {
    for (const { content, recipient } of all.filter((one) => one.recipient.channel === channel)) {
      try {
        const options = onDeliveryQueue(`${recipient.id} by ${channel}`);
        await deliverOutcomeActivity.executeWithOptions(options, [content, recipient]);
      } catch (error) {
        const { code, message } = describeFailure(error, 'not_delivered', "can't reach the channel");
        if (code !== 'gone') failures.push(`${channel}: ${message}`);
        else {
          isGone = true;
          return;
        }
      }
    }
  };
  await Promise.all([...new Set(all.map(({ recipient }) => recipient.channel))].map(deliverInOrder));
  if (failures.length === 0) return isGone;
  const message = failures.join('\n');
  throw ApplicationFailure.create({ message, type: 'not_delivered', nonRetryable: true, details: [isGone] });
}

/**
 * Resolves once the delivery workflow has started; from then on it outlives this run. Never rejects: that would block
 * the run.
 */
export async function startDelivery(
  { id, title }: ConversationState,
  name: string,
  deliveries: Delivery[],
  onGone: () => void,
): Promise<void> {
  const [questionId] = deliveries.flatMap(({ content }) => (content.kind === 'outcome' ? [content.question.id] : []));
  try {
    const child = await startChild<typeof delivery>(DELIVERY_WORKFLOW_TYPE, {
      workflowId: `${id}/${name}/delivery`,
      args: [deliveries],
      staticSummary: `Delivers the outcome of ${questionId ?? 'the conversation'}: ${truncateText(title, 80)}`,
      parentClosePolicy: 'ABANDON',
      cancellationType: 'ABANDON',
    });
    const onDone = (isGone: boolean) => isGone && onGone();
    void child.result().then(onDone, (error: unknown) => onDone(isReceiverGone(error)));
  } catch {
    // A delivery with that id exists already: this run was reset and repeats its steps.
  }
}

function isReceiverGone(error: unknown): boolean {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.details?.[0] === true;
}

/** The outcome of a question for every delivered copy, and for the callback if there is one. */
export function outcomeDelivery(
  { id, title, links, root }: ConversationState,
  { question, copies }: { question: Question; copies: DeliveredCopy[] },
  callbackUrl: string | null = null,
): Delivery {
  const outcomeId = `${id}/${question.id}`;
  const callback = callbackUrl ? [{ id: `${outcomeId}/settled`, channel: WEBHOOK_CHANNEL, url: callbackUrl }] : [];
  const holders = copies.map(({ channel, number, ref }) => ({ id: `${outcomeId}/${number}/settled`, channel, ref }));
  return {
    content: { kind: 'outcome', question, title, links, rootConversationId: root },
    recipients: [...callback, ...holders],
  };
}

/** Not a channel: the recipient of an export. */
const EXPORT_CHANNEL = 'export';

const MAX_DELIVERED_RESULT_LENGTH = 12_000;

/** The callback gets the end of the conversation, though not of a sub-agent, whose end concerns its parent; both are exported. */
export function endDeliveries(state: ConversationState): Delivery[] {
  const { id, callbackUrl: url, parent, lastEntryId, exportOnEnd } = state;
  const endId = `${id}/end-${lastEntryId}`;
  const deliveries: Delivery[] = [];
  if (url && !parent) {
    const result = state.result && truncateText(state.result, MAX_DELIVERED_RESULT_LENGTH);
    deliveries.push({
      content: { kind: 'end', conversation: { ...toConversation(state), result } },
      recipients: [{ id: endId, channel: WEBHOOK_CHANNEL, url }],
    });
  }
  if (exportOnEnd)
    deliveries.push({
      content: { kind: 'export', run: { workflowId: id, runId: workflowInfo().runId } },
      recipients: [{ id: `${endId}/export`, channel: EXPORT_CHANNEL }],
    });
  return deliveries;
}
