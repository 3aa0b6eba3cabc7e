import { isCancellation } from '@temporalio/workflow';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';
import {
  channelName,
  type DeliveredCopy,
  dropNotification,
  findCopyAt,
  findSettledQuestion,
  recordNotification,
  rememberCopy,
  resumeNotifications,
  startDueNotifications,
  takeSettledCopies,
} from '#core/questions/notifications';
import { type PlannedNotification, planCallbackNotification, WEBHOOK_CHANNEL } from '#core/questions/schedule';
import { onDeliveryQueue, sendNotificationActivity } from './activity-options';
import { type Delivery, endDeliveries, outcomeDelivery, startDelivery } from './delivery';
import { cancelWhen, describeFailure } from './runtime/cancel-when';
import { recordNotificationMetric } from './runtime/sinks';

export interface Notifier {
  /** Starts what is due: deliveries, and notifications of the open question. Does not wait for them. */
  sendDue(isOver: boolean): void;
  /** Resolves once nothing is in flight that an end or a new run would lose; undefined if nothing is. */
  waitForInFlight(): Promise<void> | undefined;
}

/**
 * Notifies people while the conversation continues: a channel that is down delays neither an answer nor the deadline.
 * Notifications of the open question are sent from here and cancelled once it is closed. Outcomes are sent by a
 * delivery, a separate workflow that may take days, so that the conversation can end.
 */
export function createNotifier(state: ConversationState, publish: () => void): Notifier {
  resumeNotifications(state);
  /** Notifications in flight, each with its question's id. */
  const sending = new Map<Promise<void>, string>();
  const startingDeliveries = new Set<Promise<void>>();
  let plannedQuestionId = '';
  let deliveredEndId = 0;
  const deliver = (name: string, deliveries: Delivery[]) => {
    if (deliveries.every(({ recipients }) => recipients.length === 0)) return;
    const started = startDelivery(state, name, deliveries, () => disableCallback(state)).then(() => {
      startingDeliveries.delete(started);
    });
    startingDeliveries.add(started);
  };

  return {
    sendDue(isOver) {
      const settled = takeSettledCopies(state);
      // Not while a notification is in flight: its result is an entry of its own, and the end is delivered once, after it.
      const isEnd = isOver && sending.size === 0 && deliveredEndId !== state.lastEntryId;
      if (isEnd) deliveredEndId = state.lastEntryId;
      deliver(settled ? `${settled.question.id}/settled` : `end-${state.lastEntryId}`, [
        ...(settled ? [outcomeDelivery(state, settled, state.callbackUrl)] : []),
        ...(isEnd ? endDeliveries(state) : []),
      ]);
      const question = state.question?.id;
      if (!question) return;
      // Once per question, so that the decision holds however often this runs.
      if (question !== plannedQuestionId && state.callbackUrl) planCallbackNotification(state);
      plannedQuestionId = question;
      for (const notice of startDueNotifications(state, Date.now())) {
        const onLateCopy = (late: Question, copy: DeliveredCopy) =>
          deliver(`${late.id}/${copy.number}-settled`, [outcomeDelivery(state, { question: late, copies: [copy] })]);
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

/** The receiver asked for no more events. */
function disableCallback(state: ConversationState): void {
  state.callbackUrl = null;
}

/** These have no copy to update later; the callback gets every outcome anyway. */
const CHANNELS_WITHOUT_COPY = ['inbox', 'log', WEBHOOK_CHANNEL];

/** No copy was sent, and none will be. */
const PERMANENT_FAILURES = ['undeliverable', 'no_such_channel', 'gone'];

/** Never rejects: that would block the run. */
async function sendPlannedNotification(
  state: ConversationState,
  questionId: string,
  notice: PlannedNotification,
  onLateCopy: (settled: Question, copy: DeliveredCopy) => void,
): Promise<void> {
  const { number, channel, at, what, to, maybeSent } = notice;
  const firstCopy = findCopyAt(state, questionId, channel)?.ref;
  const url = channel === WEBHOOK_CHANNEL ? (state.callbackUrl ?? undefined) : undefined;
  const remember = (ref: Record<string, string>) => {
    if (CHANNELS_WITHOUT_COPY.includes(channelName(channel))) return;
    const copy = { number, channel, ref };
    const settled = findSettledQuestion(state, questionId);
    if (settled) onLateCopy(settled, copy);
    else rememberCopy(state, questionId, copy);
  };
  try {
    const isSettled = () => state.question?.id !== questionId;
    const done = await cancelWhen(isSettled, () =>
      sendNotificationActivity.executeWithOptions(onDeliveryQueue(`${what} of ${questionId} by ${channel}`), [
        { questionId, number, channel, at, what, to, url, firstCopy, maybeSent },
      ]),
    );
    if (!done?.sent) return dropNotification(state, questionId, number);
    recordNotification(state, questionId, notice, undefined, Date.now());
    recordNotificationMetric(state, notice, 'sent');
    if (done.ref && Object.keys(done.ref).length > 0) remember(done.ref);
  } catch (error) {
    const { code, message } = describeFailure(error, 'notification_failed', "can't reach the channel");
    // The copy may exist even so: a worker may have died after sending it, or it was cancelled between two attempts.
    if (!PERMANENT_FAILURES.includes(code)) remember({});
    if (isCancellation(error)) return;
    if (code === 'gone') disableCallback(state);
    recordNotification(state, questionId, notice, message, Date.now());
    recordNotificationMetric(state, notice, 'failed');
  }
}
