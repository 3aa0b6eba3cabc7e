import { readResolvedQuestion } from '#cli/lookups';
import { sleepUnlessAborted } from '#client/backoff';
import type { ParleyClient } from '#client/parley';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';

/** Called for the questions of a conversation and its sub-agents. */
export interface QuestionListener {
  onPending(question: Question): void;
  onResolved(question: Question): void;
}

/**
 * The conversation's own stream delivers its questions in order with its messages, so the inbox waits before delivering
 * them.
 */
const CONVERSATION_HEAD_START_MS = 3_000;

/**
 * Delivers the questions of sub-agents, which have their own conversations, until the signal is aborted. Errors are
 * ignored, because a key that may not read the inbox can still watch the conversation.
 */
export async function streamInboxEvents(
  parley: Pick<ParleyClient, 'inboxEvents' | 'question'>,
  id: string,
  signal: AbortSignal,
  { onPending, onResolved }: QuestionListener,
): Promise<void> {
  const waiting = new Map<string, Question>();
  const addPending = (question: Question) => {
    waiting.set(toQuestionKey(question), question);
    if (question.conversationId !== id) return onPending(question);
    void sleepUnlessAborted(CONVERSATION_HEAD_START_MS, signal).then(() => {
      if (waiting.has(toQuestionKey(question)) && !signal.aborted) onPending(question);
    });
  };
  const markResolved = (question: Question) => {
    waiting.delete(toQuestionKey(question));
    onResolved(question);
  };
  try {
    for await (const event of parley.inboxEvents({ conversation: id, signal })) {
      if (event.event === 'question_answered') markResolved(event.data);
      else
        for (const question of pendingQuestionsIn(event))
          if (!waiting.has(toQuestionKey(question))) addPending(question);
      if (event.event !== 'snapshot' || event.data.truncated) continue;
      const openKeys = new Set(event.data.items.map(toQuestionKey));
      for (const question of [...waiting.values()])
        if (!openKeys.has(toQuestionKey(question))) {
          // If the inbox lags behind or the connection is lost, the next snapshot resolves it.
          const resolved = await readResolvedQuestion(parley, question, signal);
          if (resolved) markResolved(resolved);
        }
    }
  } catch {
    // The conversation's own stream reports errors.
  }
}

function pendingQuestionsIn(event: Exclude<InboxEvent, { event: 'question_answered' }>): Question[] {
  return event.event === 'snapshot' ? event.data.items : [event.data];
}

/** A queue with several writers and one reader. */
export class AsyncQueue<Item> {
  private readonly items: Item[] = [];
  private wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  push(item: Item): void {
    this.items.push(item);
    this.wake?.();
  }

  async next(): Promise<Item> {
    while (this.isEmpty)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    return this.items.shift() as Item;
  }
}
