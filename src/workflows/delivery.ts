import { ApplicationFailure, ChildWorkflowFailure, startChild, workflowInfo } from '@temporalio/workflow';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';
import { truncateText } from '#core/json';
import { toConversation } from '#core/projections';
import type { DeliveredCopy, PendingCopyUpdate } from '#core/questions/notifications';
import { WEBHOOK_CHANNEL } from '#core/questions/schedule';
import { deliverOutcomeActivity } from './activities';
import { DELIVERY_WORKFLOW_TYPE } from './messages';
import { describeFailure } from './runtime/activity-calls';

/** Goes round until everybody has been told, or three days are over. True where a receiver wants to hear no more. */
export async function delivery(round: DeliveryBatch): Promise<boolean> {
  const failures: string[] = [];
  const gone = new Set<string>();
  const tell = async (stop: DeliveryRecipient) => {
    try {
      await deliverOutcomeActivity.executeWithOptions({ summary: `${stop.id} by ${stop.channel}` }, [
        deliveryJobFor(round, stop),
      ]);
    } catch (error) {
      const { code, message } = describeFailure(error, 'not_told', 'the channel could not be reached');
      if (code === 'gone') gone.add(stop.channel);
      else failures.push(`${stop.channel}: ${message}`);
    }
  };
  // One after the other where they are at the same place, so that what is told comes in order.
  const visit = async (channel: string) => {
    for (const stop of round.stops) if (stop.channel === channel && !gone.has(channel)) await tell(stop);
  };
  await Promise.all([...new Set(round.stops.map(({ channel }) => channel))].map(visit));
  const isGone = gone.size > 0;
  if (failures.length === 0) return isGone;
  const message = failures.join('\n');
  throw ApplicationFailure.create({ message, type: 'not_told', nonRetryable: true, details: [isGone] });
}

/** Resolves once it is on its way, which no end and no roll-over stops then. It never rejects: that would jam the run. */
export async function startDelivery(id: string, round: DeliveryBatch, heard: (isGone: boolean) => void): Promise<void> {
  const what = round.question?.id ?? 'the conversation';
  try {
    const sent = await startChild<typeof delivery>(DELIVERY_WORKFLOW_TYPE, {
      workflowId: `${id}/courier`,
      args: [round],
      staticSummary: `Tells what became of ${what}: ${truncateText(round.title, 80)}`,
      parentClosePolicy: 'ABANDON',
      cancellationType: 'ABANDON',
    });
    void sent.result().then(heard, (error: unknown) => heard(isReceiverGone(error)));
  } catch {
    // One is on its way under that name already: the run was reset, and tells it all again.
  }
}

function isReceiverGone(error: unknown): boolean {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.details?.[0] === true;
}

/** Where a courier goes, and what it tells there: what became of the question, or of the conversation. */
interface DeliveryRecipient {
  /** The same however often it is told. */
  id: string;
  channel: string;
  tells: 'outcome' | 'end' | 'export';
  /** Of the callback. */
  url?: string;
  ref?: Record<string, string>;
  /** What to export: this run of the conversation has ended. */
  run?: { workflowId: string; runId: string };
}

/** Everything a courier takes along. */
export interface DeliveryBatch {
  title: string;
  links: ConversationLinks;
  root: string;
  question?: Question;
  ended?: Conversation;
  stops: DeliveryRecipient[];
}

/** One thing to tell in one place. */
export type DeliveryJob = Omit<DeliveryBatch, 'stops'> & Omit<DeliveryRecipient, 'tells'>;

function deliveryJobFor(
  { stops, question, ended, ...about }: DeliveryBatch,
  { tells, ...stop }: DeliveryRecipient,
): DeliveryJob {
  return { ...about, ...stop, ...(tells === 'outcome' ? { question } : tells === 'end' ? { ended } : {}) };
}

export function createDeliveryBatch(
  { title, links, root }: ConversationState,
  told: Pick<DeliveryBatch, 'question' | 'ended' | 'stops'>,
): DeliveryBatch {
  return { title, links, root, ...told };
}

/** The callback is told of every outcome; the others where they have a copy. */
export function outcomeRecipients(state: ConversationState, settling: PendingCopyUpdate): DeliveryRecipient[] {
  const { id, callbackUrl: url } = state;
  const callback = {
    id: `${id}/${settling.question.id}/settled`,
    channel: WEBHOOK_CHANNEL,
    tells: 'outcome' as const,
  };
  return [...(url ? [{ ...callback, url }] : []), ...copyRecipients(state, settling)];
}

export function copyRecipients(
  { id }: ConversationState,
  { question, copies }: PendingCopyUpdate,
): DeliveryRecipient[] {
  return copies.map(({ channel, number, ref }: DeliveredCopy) => ({
    id: `${id}/${question.id}/${number}/settled`,
    channel,
    tells: 'outcome',
    ref,
  }));
}

/** A sub-agent's end is the business of the one it works for; what it was is exported all the same. */
export function endRecipients({
  id,
  callbackUrl: url,
  parent,
  lastEntry,
  exports,
}: ConversationState): DeliveryRecipient[] {
  const end = `${id}/end-${lastEntry}`;
  const run = { workflowId: id, runId: workflowInfo().runId };
  const told: DeliveryRecipient = { id: end, channel: WEBHOOK_CHANNEL, tells: 'end', url: url ?? undefined };
  const exported: DeliveryRecipient = { id: `${end}/export`, channel: EXPORT_CHANNEL, tells: 'export', run };
  return [...(url && !parent ? [told] : []), ...(exports ? [exported] : [])];
}

/** Where the courier goes with an export; no channel that people are told by. */
const EXPORT_CHANNEL = 'export';

const MAX_DELIVERED_RESULT_LENGTH = 12_000;

export function toEndedConversation(state: ConversationState): Conversation {
  return {
    ...toConversation(state),
    result: state.result && truncateText(state.result, MAX_DELIVERED_RESULT_LENGTH),
  };
}
