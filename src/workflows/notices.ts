import { isCancellation } from '@temporalio/workflow';
import { beginNotices, forgetNotice, recordNotice, resumeNotices } from '../core/notices';
import type { PlannedNotice } from '../core/schedule';
import type { State } from '../core/state';
import { notify } from './activities';
import { readable } from './failures';
import { whileNeeded } from './scope';

/**
 * Sends what is due about the open question while the conversation stays parked: a channel that is down must not keep an
 * answer or the deadline waiting. What is being sent when the question is settled is called back.
 */
export function notifier(state: State, publish: () => void): () => void {
  resumeNotices(state);
  return () => {
    const question = state.question?.id;
    if (!question) return;
    for (const notice of beginNotices(state, Date.now())) void send(state, question, notice).then(publish);
  };
}

async function send(state: State, question: string, notice: PlannedNotice): Promise<void> {
  const { number, channel, what, to } = notice;
  try {
    const isSettled = () => state.question?.id !== question;
    const done = await whileNeeded(isSettled, () =>
      notify.executeWithOptions({ summary: `${what} of ${question} by ${channel}` }, [
        { question, number, channel, what, to },
      ]),
    );
    if (done?.sent) recordNotice(state, question, notice, undefined, Date.now());
    else forgetNotice(state, question, number);
  } catch (error) {
    if (isCancellation(error)) return;
    const { message } = readable(error, 'notice_failed', 'the channel could not be reached');
    recordNotice(state, question, notice, message, Date.now());
  }
}
