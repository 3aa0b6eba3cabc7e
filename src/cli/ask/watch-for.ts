import type { Parley } from '#client/parley';
import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import type { Gone } from './put';
import { settledNow } from './settled-now';

export interface Watching {
  gone: Gone;
  stop(): void;
}

/** Listens for that question to be settled by somebody else, for callers that listen to nothing yet. */
export function watchFor(parley: Parley, question: Question): Watching {
  const settled = new AbortController();
  const stopped = new AbortController();
  // Where nothing can be heard, the answer itself will be told that it is too late.
  void listen(parley, question, stopped.signal).then(
    (now) => now && !stopped.signal.aborted && settled.abort(now),
    () => undefined,
  );
  return { gone: settled.signal, stop: () => stopped.abort() };
}

/** By the inbox, and not the conversation: whoever may only answer hears of it, too. */
async function listen(
  parley: Parley,
  question: Question,
  signal: AbortSignal,
): Promise<Question | undefined> {
  const isIt = (other: Question) => keyOf(other) === keyOf(question);
  for await (const event of parley.inboxEvents({ conversation: question.conversationId, signal })) {
    if (event.event === 'question_answered' && isIt(event.data)) return event.data;
    // It may have been settled before anybody listened, or while the line was down.
    if (event.event === 'snapshot' && !event.data.items.some(isIt)) {
      const now = await settledNow(parley, question, signal);
      if (now) return now;
    }
  }
  return undefined;
}
