import { isCancellation, patched } from '@temporalio/workflow';
import {
  firstCopy,
  keepCopy,
  planCallback,
  type Settling,
  settlingOf,
  takeSettled,
  WEBHOOK,
} from '../core/copies';
import { beginNotices, forgetNotice, recordNotice, resumeNotices } from '../core/notices';
import type { PlannedNotice } from '../core/schedule';
import type { State } from '../core/state';
import { notify } from './activities';
import { callbackErrand, type Errand, endErrand, sendCourier, settleErrand } from './courier';
import { readable } from './failures';
import { whileNeeded } from './scope';

export interface Outreach {
  /** Begin to tell whatever there is to tell as of now. Waits for nothing. */
  tell(isOver: boolean): void;
  /** Resolves when nothing is on its way that an end, or a new run, would lose. */
  rest(isOver: boolean): Promise<void> | undefined;
}

/**
 * Tells people while the conversation goes on: a channel that is down must keep neither an answer nor the deadline waiting.
 * What concerns the open question is sent from here, and called back when it is settled. What came of it is left to a
 * courier, a workflow of its own that may take days, so that the conversation can end.
 */
export function outreach(state: State, publish: () => void): Outreach {
  resumeNotices(state);
  const sending = new Set<Promise<unknown>>();
  const leaving = new Set<Promise<unknown>>();
  let seen = '';
  let told = 0;
  const track = (among: Set<Promise<unknown>>, work: Promise<unknown>) => {
    const tracked = work.finally(() => among.delete(tracked));
    among.add(tracked);
  };
  const leave = (name: string, errands: Errand[]) => {
    if (errands.length === 0 || !tellsOutcomes()) return;
    const heard = (isGone: boolean) => isGone && switchOff(state);
    track(leaving, sendCourier(`${state.id}/${name}`, errands, heard));
  };

  return {
    tell(isOver) {
      const settling = takeSettled(state);
      const outcome = settling ? outcomeErrands(state, settling) : [];
      if (isOver) {
        const ending = told === state.lastEntry ? [] : endErrand(state);
        told = state.lastEntry;
        return leave(`end-${told}`, [...outcome, ...ending]);
      }
      if (settling) leave(`${settling.question.id}/settled`, outcome);
      const question = state.question?.id;
      if (!question) return;
      // Once for each question, so that what was decided stands however often this is run.
      if (question !== seen && state.callbackUrl && tellsOutcomes()) planCallback(state);
      seen = question;
      for (const notice of beginNotices(state, Date.now())) {
        const late = (settled: Settling) =>
          leave(`${question}/${notice.number}-settled`, copyErrands(state, settled));
        track(sending, send(state, question, notice, late).then(publish));
      }
    },
    rest(isOver) {
      const under = [...leaving, ...(isOver ? sending : [])];
      return under.length > 0 ? Promise.allSettled(under).then(() => undefined) : undefined;
    },
  };
}

/** Conversations of before 0.5 told nobody what became of a question. */
function tellsOutcomes(): boolean {
  return patched('tells-outcomes');
}

/** The callback is told of every outcome; the others where they have a copy. */
function outcomeErrands(state: State, settling: Settling): Errand[] {
  return [...callbackErrand(state, settling.question), ...copyErrands(state, settling)];
}

function copyErrands(state: State, { question, copies }: Settling): Errand[] {
  return copies
    .filter(({ channel }) => channel !== WEBHOOK)
    .map((copy) => settleErrand(state, question, copy));
}

/** Whoever is there wants to hear no more. */
function switchOff(state: State): void {
  state.callbackUrl = null;
}

async function send(
  state: State,
  question: string,
  notice: PlannedNotice,
  settleLate: (settled: Settling) => void,
): Promise<void> {
  const { number, channel, at, what, to, again } = notice;
  const first = firstCopy(state, question, channel)?.ref;
  const url = channel === WEBHOOK ? (state.callbackUrl ?? undefined) : undefined;
  try {
    const isSettled = () => state.question?.id !== question;
    const done = await whileNeeded(isSettled, () =>
      notify.executeWithOptions({ summary: `${what} of ${question} by ${channel}` }, [
        { question, number, channel, at, what, to, url, first, again },
      ]),
    );
    if (!done?.sent) return forgetNotice(state, question, number);
    recordNotice(state, question, notice, undefined, Date.now());
    if (!done.ref) return;
    const copy = { number, channel, ref: done.ref };
    const settled = settlingOf(state, question, [copy]);
    if (settled) settleLate(settled);
    else keepCopy(state, question, copy);
  } catch (error) {
    if (isCancellation(error)) return;
    const { code, message } = readable(error, 'notice_failed', 'the channel could not be reached');
    if (code === 'gone') switchOff(state);
    recordNotice(state, question, notice, message, Date.now());
  }
}
