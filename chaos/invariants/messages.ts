import type { Export } from '#contract/export';
import { saysNothingWasAccepted } from '../acts';
import { type Act, repliesOf } from '../ledger';
import { type Evidence, told } from './evidence';

/** What people said was heard once, by the model and by those who read it; and cancels had their effect. */
export function messagesOf({ story, documents }: Evidence): string[] {
  const [document] = documents;
  if (!document) return [];
  return story.acts.flatMap((act) => {
    if (act.deed === 'message') return heardOnce(act, document);
    return act.deed === 'cancel' ? cancelled(act, document) : [];
  });
}

function heardOnce(act: Act, { transcript, timeline }: Export): string[] {
  const pattern = new RegExp(`\\b${act.id}\\b`, 'g');
  const times = (value: unknown) => JSON.stringify(value).match(pattern)?.length ?? 0;
  const [heard, read] = [times(transcript), times(timeline)];
  const isTaken = repliesOf(act).some(({ status }) => status === 202);
  const isNot = act.tries.every(saysNothingWasAccepted);
  const wanted = isTaken ? [1] : isNot ? [0] : [0, 1];
  if (heard === read && wanted.includes(heard)) return [];
  return [`${told(act)}: heard ${heard} times, shown ${read} times`];
}

const ENDED = ['completed', 'failed', 'cancelled'];

function cancelled(act: Act, { timeline }: Export): string[] {
  const ends = timeline.flatMap((entry) =>
    entry.kind === 'status' && ENDED.includes(entry.status) ? [entry] : [],
  );
  return repliesOf(act).flatMap((made, at, replies) => {
    if (made.status === 202) {
      const isRefusedLater = replies.slice(at + 1).some(({ status }) => status === 409);
      const isDone = isRefusedLater || ends.some(({ status }) => status === 'cancelled');
      return isDone ? [] : [`${told(act)}: it was never cancelled`];
    }
    const wasOver = ends.some((entry) => Date.parse(entry.at) <= made.repliedAt);
    return wasOver ? [] : [`${told(act)}: it was not finished then`];
  });
}
