import { readResolvedQuestion } from '#cli/lookups';
import { sleepUnlessAborted } from '#client/backoff';
import type { ParleyClient } from '#client/parley';
import type { ConversationEvent, InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';

/** Whatever has to be acted on while one looks on. */
export type WatchEvent =
  | { kind: 'event'; event: ConversationEvent }
  /** As the inbox tells it: mostly a sub-agent's, which belongs to a conversation of its own. */
  | { kind: 'asked'; question: Question }
  | { kind: 'settled'; question: Question }
  | { kind: 'line'; isLost: boolean }
  /** Somebody wants to answer after all. */
  | { kind: 'enter' }
  /** Somebody has had enough. */
  | { kind: 'left' }
  /** It cannot be followed. */
  | { kind: 'failed'; error: unknown };

export type WatchEventListener = (happening: WatchEvent) => void;

/** The question that is settled by it, if any. */
export function questionResolvedBy(happening: WatchEvent): Question | undefined {
  if (happening.kind === 'settled') return happening.question;
  if (happening.kind === 'event' && happening.event.event === 'question_answered') return happening.event.data;
  return undefined;
}

/** Hands on what happens in a conversation until it is over or the signal is aborted. */
export async function streamConversationEvents(
  parley: ParleyClient,
  id: string,
  { after, signal }: { after: number | undefined; signal: AbortSignal },
  deliver: WatchEventListener,
): Promise<void> {
  const onTrouble = (trouble: unknown) => deliver({ kind: 'line', isLost: trouble !== undefined });
  try {
    for await (const event of parley.events(id, { after, signal, onTrouble })) deliver({ kind: 'event', event });
  } catch (error) {
    deliver({ kind: 'failed', error });
  }
}

/** The conversation tells its own questions better, after what was said before them. If it cannot, the inbox does. */
const CONVERSATION_HEAD_START_MS = 3_000;

/**
 * Hands on what sub-agents ask, whose questions belong to conversations of their own, until the signal is aborted. A key
 * that may not see the inbox sees the conversation all the same, so that nothing is thrown.
 */
export async function streamInboxEvents(
  parley: Pick<ParleyClient, 'inboxEvents' | 'question'>,
  id: string,
  signal: AbortSignal,
  deliver: WatchEventListener,
): Promise<void> {
  const waiting = new Map<string, Question>();
  const ask = (question: Question) => {
    waiting.set(toQuestionKey(question), question);
    if (question.conversationId !== id) return deliver({ kind: 'asked', question });
    void sleepUnlessAborted(CONVERSATION_HEAD_START_MS, signal).then(() => {
      if (waiting.has(toQuestionKey(question)) && !signal.aborted) deliver({ kind: 'asked', question });
    });
  };
  const settle = (question: Question) => {
    waiting.delete(toQuestionKey(question));
    deliver({ kind: 'settled', question });
  };
  try {
    for await (const event of parley.inboxEvents({ conversation: id, signal })) {
      if (event.event === 'question_answered') settle(event.data);
      else for (const question of pendingQuestionsIn(event)) if (!waiting.has(toQuestionKey(question))) ask(question);
      if (event.event !== 'snapshot' || event.data.truncated) continue;
      const open = new Set(event.data.items.map(toQuestionKey));
      for (const question of [...waiting.values()])
        if (!open.has(toQuestionKey(question))) {
          // The inbox may be behind, or the line down: then it waits on, and the next of these tells.
          const now = await readResolvedQuestion(parley, question, signal);
          if (now) settle(now);
        }
    }
  } catch {
    // The conversation itself tells of the trouble, where there is any.
  }
}

function pendingQuestionsIn(event: Exclude<InboxEvent, { event: 'question_answered' }>): Question[] {
  return event.event === 'snapshot' ? event.data.items : [event.data];
}
