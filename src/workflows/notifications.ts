import { isCancellation, patched } from '@temporalio/workflow';
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
import { sendNotificationActivity } from './activities';
import {
  copyRecipients,
  createDeliveryBatch,
  type DeliveryBatch,
  endRecipients,
  outcomeRecipients,
  startDelivery,
  toEndedConversation,
} from './delivery';
import { cancelWhen, describeFailure } from './runtime/activity-calls';
import { recordNotificationMetric } from './runtime/sinks';

export interface Notifier {
  /** Begin to tell whatever there is to tell as of now. Waits for nothing. */
  tell(isOver: boolean): void;
  /** Resolves when nothing is on its way any more that an end, or a new run, would lose; nothing where nothing is. */
  rest(): Promise<void> | undefined;
}

/**
 * Tells people while the conversation goes on: a channel that is down must keep neither an answer nor the deadline waiting.
 * What concerns the open question is sent from here, and called back when it is settled. What came of it is left to a
 * courier, a workflow of its own that may take days, so that the conversation can end.
 */
export function createNotifier(state: ConversationState, publish: () => void): Notifier {
  resumeNotifications(state);
  /** By the question they are about. */
  const sending = new Map<Promise<void>, string>();
  const leaving = new Set<Promise<void>>();
  let seen = '';
  let told = 0;
  const leave = (name: string, round: Pick<DeliveryBatch, 'question' | 'ended' | 'stops'>) => {
    if (round.stops.length === 0 || !deliversOutcomes()) return;
    const heard = (isGone: boolean) => isGone && disableCallback(state);
    const left = startDelivery(`${state.id}/${name}`, createDeliveryBatch(state, round), heard).then(() => {
      leaving.delete(left);
    });
    leaving.add(left);
  };
  const leaveOutcome = ({ question, copies }: PendingCopyUpdate, name: string) =>
    leave(`${question.id}/${name}`, { question, stops: copyRecipients(state, { question, copies }) });

  return {
    tell(isOver) {
      const settling = takePendingCopyUpdate(state);
      const outcome = settling ? outcomeRecipients(state, settling) : [];
      // Not while something is being sent: what comes of that is noted yet, and this is told once.
      const isEnd = isOver && sending.size === 0 && told !== state.lastEntry;
      const end = isEnd ? endRecipients(state) : [];
      if (isEnd) told = state.lastEntry;
      const ended = end.some(({ tells }) => tells === 'end') ? { ended: toEndedConversation(state) } : {};
      const name = settling ? `${settling.question.id}/settled` : `end-${state.lastEntry}`;
      leave(name, { question: settling?.question, ...ended, stops: [...outcome, ...end] });
      const question = state.question?.id;
      if (!question) return;
      // Once for each question, so that what was decided stands however often this is run.
      if (question !== seen && state.callbackUrl && deliversOutcomes()) planCallbackNotification(state);
      seen = question;
      for (const notice of startDueNotifications(state, Date.now())) {
        const late = (settled: PendingCopyUpdate) => leaveOutcome(settled, `${notice.number}-settled`);
        const sent = sendPlannedNotification(state, question, notice, late).then(() => {
          sending.delete(sent);
          publish();
        });
        sending.set(sent, question);
      }
    },
    rest() {
      const called = [...sending].filter(([, question]) => question !== state.question?.id);
      const under = [...leaving, ...called.map(([sent]) => sent)];
      // Conversations of before 0.5 waited for nothing.
      if (under.length === 0 || !deliversOutcomes()) return undefined;
      return Promise.all(under).then(() => undefined);
    },
  };
}

/** Conversations of before 0.5 told nobody what became of a question. */
function deliversOutcomes(): boolean {
  return patched('tells-outcomes');
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
  question: string,
  notice: PlannedNotification,
  settleLate: (settled: PendingCopyUpdate) => void,
): Promise<void> {
  const { number, channel, at, what, to, again } = notice;
  const first = findCopyAt(state, question, channel)?.ref;
  const url = channel === WEBHOOK_CHANNEL ? (state.callbackUrl ?? undefined) : undefined;
  const keep = (ref: Record<string, string>) => {
    if (CHANNELS_WITHOUT_COPY.includes(channelName(channel))) return;
    const copy = { number, channel, ref };
    const settled = copyUpdateFor(state, question, [copy]);
    if (settled) settleLate(settled);
    else rememberCopy(state, question, copy);
  };
  try {
    const isSettled = () => state.question?.id !== question;
    const done = await cancelWhen(isSettled, () =>
      sendNotificationActivity.executeWithOptions({ summary: `${what} of ${question} by ${channel}` }, [
        { question, number, channel, at, what, to, url, first, again },
      ]),
    );
    if (!done?.sent) return dropNotification(state, question, number);
    recordNotification(state, question, notice, undefined, Date.now());
    recordNotificationMetric(state, notice, 'sent');
    if (done.ref && Object.keys(done.ref).length > 0) keep(done.ref);
  } catch (error) {
    const { code, message } = describeFailure(error, 'notice_failed', 'the channel could not be reached');
    // A worker may have died under it, or it was called back between two attempts: it may be there all the same.
    if (!PERMANENT_FAILURES.includes(code)) keep({});
    if (isCancellation(error)) return;
    if (code === 'gone') disableCallback(state);
    recordNotification(state, question, notice, message, Date.now());
    recordNotificationMetric(state, notice, 'failed');
  }
}
