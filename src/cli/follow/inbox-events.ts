import { settledNow } from '#cli/ask/settled-now';
import type { Parley } from '#client/parley';
import { pause } from '#client/waiting';
import type { InboxEvent } from '#contract/event';
import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import type { Deliver } from './happening';

/** The conversation tells its own questions better, after what was said before them. If it cannot, the inbox does. */
const AHEAD_MS = 3_000;

/**
 * Hands on what sub-agents ask, whose questions belong to conversations of their own, until the signal is aborted. A key
 * that may not see the inbox sees the conversation all the same, so that nothing is thrown.
 */
export async function listenToInbox(
  parley: Pick<Parley, 'inboxEvents' | 'question'>,
  id: string,
  signal: AbortSignal,
  deliver: Deliver,
): Promise<void> {
  const waiting = new Map<string, Question>();
  const ask = (question: Question) => {
    waiting.set(keyOf(question), question);
    if (question.conversationId !== id) return deliver({ kind: 'asked', question });
    void pause(AHEAD_MS, signal).then(() => {
      if (waiting.has(keyOf(question)) && !signal.aborted) deliver({ kind: 'asked', question });
    });
  };
  const settle = (question: Question) => {
    waiting.delete(keyOf(question));
    deliver({ kind: 'settled', question });
  };
  try {
    for await (const event of parley.inboxEvents({ conversation: id, signal })) {
      if (event.event === 'question_answered') settle(event.data);
      else for (const question of asked(event)) if (!waiting.has(keyOf(question))) ask(question);
      if (event.event !== 'snapshot' || event.data.truncated) continue;
      const open = new Set(event.data.items.map(keyOf));
      for (const question of [...waiting.values()])
        if (!open.has(keyOf(question))) {
          // The inbox may be behind, or the line down: then it waits on, and the next of these tells.
          const now = await settledNow(parley, question, signal);
          if (now) settle(now);
        }
    }
  } catch {
    // The conversation itself tells of the trouble, where there is any.
  }
}

function asked(event: Exclude<InboxEvent, { event: 'question_answered' }>): Question[] {
  return event.event === 'snapshot' ? event.data.items : [event.data];
}
