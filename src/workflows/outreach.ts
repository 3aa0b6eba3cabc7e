import { isCancellation, patched } from '@temporalio/workflow';
import { copyAt, keepCopy, type Settling, settlingOf, takeSettled } from '#core/copies';
import { channelOf } from '#core/destination';
import { beginNotices, forgetNotice, recordNotice, resumeNotices } from '#core/notices';
import { type PlannedNotice, planCallback, WEBHOOK } from '#core/schedule';
import type { State } from '#core/state';
import { notify } from './activities';
import { sendCourier } from './courier';
import { copyStops, endedOf, endStops, outcomeStops, type Round, roundOf } from './errands';
import { readable } from './failures';
import { whileNeeded } from './scope';
import { countNotice } from './tally';

export interface Outreach {
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
export function outreach(state: State, publish: () => void): Outreach {
  resumeNotices(state);
  /** By the question they are about. */
  const sending = new Map<Promise<void>, string>();
  const leaving = new Set<Promise<void>>();
  let seen = '';
  let told = 0;
  const leave = (name: string, round: Pick<Round, 'question' | 'ended' | 'stops'>) => {
    if (round.stops.length === 0 || !tellsOutcomes()) return;
    const heard = (isGone: boolean) => isGone && switchOff(state);
    const left = sendCourier(`${state.id}/${name}`, roundOf(state, round), heard).then(() => {
      leaving.delete(left);
    });
    leaving.add(left);
  };
  const leaveOutcome = ({ question, copies }: Settling, name: string) =>
    leave(`${question.id}/${name}`, { question, stops: copyStops(state, { question, copies }) });

  return {
    tell(isOver) {
      const settling = takeSettled(state);
      const outcome = settling ? outcomeStops(state, settling) : [];
      // Not while something is being sent: what comes of that is noted yet, and this is told once.
      const isEnd = isOver && sending.size === 0 && told !== state.lastEntry;
      const end = isEnd ? endStops(state) : [];
      if (isEnd) told = state.lastEntry;
      const ended = end.some(({ tells }) => tells === 'end') ? { ended: endedOf(state) } : {};
      const name = settling ? `${settling.question.id}/settled` : `end-${state.lastEntry}`;
      leave(name, { question: settling?.question, ...ended, stops: [...outcome, ...end] });
      const question = state.question?.id;
      if (!question) return;
      // Once for each question, so that what was decided stands however often this is run.
      if (question !== seen && state.callbackUrl && tellsOutcomes()) planCallback(state);
      seen = question;
      for (const notice of beginNotices(state, Date.now())) {
        const late = (settled: Settling) => leaveOutcome(settled, `${notice.number}-settled`);
        const sent = send(state, question, notice, late).then(() => {
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
      if (under.length === 0 || !tellsOutcomes()) return undefined;
      return Promise.all(under).then(() => undefined);
    },
  };
}

/** Conversations of before 0.5 told nobody what became of a question. */
function tellsOutcomes(): boolean {
  return patched('tells-outcomes');
}

/** Whoever is there wants to hear no more. */
function switchOff(state: State): void {
  state.callbackUrl = null;
}

/** There is no copy to change later; the callback is told of every outcome anyway. */
const UNCHANGING = ['inbox', 'log', WEBHOOK];

/** It was not sent, and never will be. */
const SURE = ['undeliverable', 'no_such_channel', 'gone'];

/** Never rejects: that would jam the run. */
async function send(
  state: State,
  question: string,
  notice: PlannedNotice,
  settleLate: (settled: Settling) => void,
): Promise<void> {
  const { number, channel, at, what, to, again } = notice;
  const first = copyAt(state, question, channel)?.ref;
  const url = channel === WEBHOOK ? (state.callbackUrl ?? undefined) : undefined;
  const keep = (ref: Record<string, string>) => {
    if (UNCHANGING.includes(channelOf(channel))) return;
    const copy = { number, channel, ref };
    const settled = settlingOf(state, question, [copy]);
    if (settled) settleLate(settled);
    else keepCopy(state, question, copy);
  };
  try {
    const isSettled = () => state.question?.id !== question;
    const done = await whileNeeded(isSettled, () =>
      notify.executeWithOptions({ summary: `${what} of ${question} by ${channel}` }, [
        { question, number, channel, at, what, to, url, first, again },
      ]),
    );
    if (!done?.sent) return forgetNotice(state, question, number);
    recordNotice(state, question, notice, undefined, Date.now());
    countNotice(state, notice, 'sent');
    if (done.ref && Object.keys(done.ref).length > 0) keep(done.ref);
  } catch (error) {
    const { code, message } = readable(error, 'notice_failed', 'the channel could not be reached');
    // A worker may have died under it, or it was called back between two attempts: it may be there all the same.
    if (!SURE.includes(code)) keep({});
    if (isCancellation(error)) return;
    if (code === 'gone') switchOff(state);
    recordNotice(state, question, notice, message, Date.now());
    countNotice(state, notice, 'failed');
  }
}
