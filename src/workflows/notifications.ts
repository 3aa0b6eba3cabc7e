import { isCancellation } from '@temporalio/workflow';
import type { ConversationState } from '#core/conversation/state';
import {
  channelName,
  copyUpdateFor,
  dropNotification,
  findCopyAt,
  type PendingCopyUpdate,
  recordNotification,
  rememberCopy,
  resumeNotifications,
  startDueNotifications,
  takePendingCopyUpdate,
} from '#core/questions/notifications';
import { type PlannedNotification, planCallbackNotification, WEBHOOK_CHANNEL } from '#core/questions/schedule';
import { sendNotificationActivity } from './activity-options';
import {
  copyRecipients,
  createDeliveryBatch,
  type DeliveryBatch,
  endRecipients,
  outcomeRecipients,
  startDelivery,
  toEndedConversation,
} from './delivery';
import { cancelWhen, describeFailure } from './runtime/cancel-when';
import { recordNotificationMetric } from './runtime/sinks';

export interface Notifier {
  /** Begin to tell whatever there is to tell as of now. Waits for nothing. */
  sendDue(isOver: boolean): void;
  /** Resolves when nothing is on its way any more that an end, or a new run, would lose; nothing where nothing is. */
  waitForInFlight(): Promise<void> | undefined;
}

/**
 * Tells people while the conversation goes on: a channel that is down must keep neither an answer nor the deadline waiting.
 * What concerns the open question is sent from here, and called back when it is settled. What came of it is left to a
 * delivery, a workflow of its own that may take days, so that the conversation can end.
 */
export function createNotifier(state: ConversationState, publish: () => void): Notifier {
  resumeNotifications(state);
  /** By the question they are about. */
  const sending = new Map<Promise<void>, string>();
  const startingDeliveries = new Set<Promise<void>>();
  let plannedQuestionId = '';
  let deliveredEndId = 0;
  const deliver = (name: string, batch: Pick<DeliveryBatch, 'question' | 'ended' | 'recipients'>) => {
    if (batch.recipients.length === 0) return;
    const onDelivered = (isGone: boolean) => isGone && disableCallback(state);
    const started = startDelivery(`${state.id}/${name}`, createDeliveryBatch(state, batch), onDelivered).then(() => {
      startingDeliveries.delete(started);
    });
    startingDeliveries.add(started);
  };
  const deliverLateUpdate = ({ question, copies }: PendingCopyUpdate, name: string) =>
    deliver(`${question.id}/${name}`, { question, recipients: copyRecipients(state, { question, copies }) });

  return {
    sendDue(isOver) {
      const copyUpdate = takePendingCopyUpdate(state);
      const outcomeDeliveries = copyUpdate ? outcomeRecipients(state, copyUpdate) : [];
      // Not while something is being sent: what comes of that is noted yet, and this is told once.
      const isEnd = isOver && sending.size === 0 && deliveredEndId !== state.lastEntryId;
      const endDeliveries = isEnd ? endRecipients(state) : [];
      if (isEnd) deliveredEndId = state.lastEntryId;
      const ended = endDeliveries.some(({ delivers }) => delivers === 'end')
        ? { ended: toEndedConversation(state) }
        : {};
      const name = copyUpdate ? `${copyUpdate.question.id}/settled` : `end-${state.lastEntryId}`;
      deliver(name, { question: copyUpdate?.question, ...ended, recipients: [...outcomeDeliveries, ...endDeliveries] });
      const question = state.question?.id;
      if (!question) return;
      // Once for each question, so that what was decided stands however often this is run.
      if (question !== plannedQuestionId && state.callbackUrl) planCallbackNotification(state);
      plannedQuestionId = question;
      for (const notice of startDueNotifications(state, Date.now())) {
        const onLateCopy = (settled: PendingCopyUpdate) => deliverLateUpdate(settled, `${notice.number}-settled`);
        const sent = sendPlannedNotification(state, question, notice, onLateCopy).then(() => {
          sending.delete(sent);
          publish();
        });
        sending.set(sent, question);
      }
    },
    waitForInFlight() {
      const cancelled = [...sending].filter(([, question]) => question !== state.question?.id);
      const inFlight = [...startingDeliveries, ...cancelled.map(([sent]) => sent)];
      if (inFlight.length === 0) return undefined;
      return Promise.all(inFlight).then(() => undefined);
    },
  };
}

/** Whoever is there wants to hear no more. */
function disableCallback(state: ConversationState): void {
  state.callbackUrl = null;
}

/** There is no copy to change later; the callback is told of every outcome anyway. */
const CHANNELS_WITHOUT_COPY = ['inbox', 'log', WEBHOOK_CHANNEL];

/** It was not sent, and never will be. */
const PERMANENT_FAILURES = ['undeliverable', 'no_such_channel', 'gone'];

/** Never rejects: that would jam the run. */
async function sendPlannedNotification(
  state: ConversationState,
  questionId: string,
  notice: PlannedNotification,
  onLateCopy: (settled: PendingCopyUpdate) => void,
): Promise<void> {
  const { number, channel, at, what, to, maybeSent } = notice;
  const firstCopy = findCopyAt(state, questionId, channel)?.ref;
  const url = channel === WEBHOOK_CHANNEL ? (state.callbackUrl ?? undefined) : undefined;
  const remember = (ref: Record<string, string>) => {
    if (CHANNELS_WITHOUT_COPY.includes(channelName(channel))) return;
    const copy = { number, channel, ref };
    const settled = copyUpdateFor(state, questionId, [copy]);
    if (settled) onLateCopy(settled);
    else rememberCopy(state, questionId, copy);
  };
  try {
    const isSettled = () => state.question?.id !== questionId;
    const done = await cancelWhen(isSettled, () =>
      sendNotificationActivity.executeWithOptions({ summary: `${what} of ${questionId} by ${channel}` }, [
        { questionId, number, channel, at, what, to, url, firstCopy, maybeSent },
      ]),
    );
    if (!done?.sent) return dropNotification(state, questionId, number);
    recordNotification(state, questionId, notice, undefined, Date.now());
    recordNotificationMetric(state, notice, 'sent');
    if (done.ref && Object.keys(done.ref).length > 0) remember(done.ref);
  } catch (error) {
    const { code, message } = describeFailure(error, 'notification_failed', 'the channel could not be reached');
    // A worker may have died under it, or it was called back between two attempts: it may be there all the same.
    if (!PERMANENT_FAILURES.includes(code)) remember({});
    if (isCancellation(error)) return;
    if (code === 'gone') disableCallback(state);
    recordNotification(state, questionId, notice, message, Date.now());
    recordNotificationMetric(state, notice, 'failed');
  }
}
