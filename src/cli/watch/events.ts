import { readResolvedQuestion } from '#cli/lookups';
import { sleepUnlessAborted } from '#client/backoff';
import type { ParleyClient } from '#client/parley';
import type { ConversationEvent, InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';

/** The events that a watch handles. */
export type WatchEvent =
  | { kind: 'event'; event: ConversationEvent }
  /** From the inbox; usually a question of a sub-agent, which has its own conversation. */
  | { kind: 'questionPending'; question: Question }
  | { kind: 'questionResolved'; question: Question }
  | { kind: 'connection'; isLost: boolean }
  /** The user wants to answer a postponed question. */
  | { kind: 'answerRequested' }
  /** The user quits. */
  | { kind: 'quit' }
  /** The stream failed permanently. */
  | { kind: 'failed'; error: unknown };

export type WatchEventListener = (event: WatchEvent) => void;

/** Returns the question that an event resolves, if any. */
export function questionResolvedBy(watchEvent: WatchEvent): Question | undefined {
  if (watchEvent.kind === 'questionResolved') return watchEvent.question;
  if (watchEvent.kind === 'event' && watchEvent.event.event === 'question_answered') return watchEvent.event.data;
  return undefined;
}

/** Delivers the events of a conversation until it ends or the signal is aborted. */
export async function streamConversationEvents(
  parley: ParleyClient,
  id: string,
  { after, signal }: { after: number | undefined; signal: AbortSignal },
  deliver: WatchEventListener,
): Promise<void> {
  const onConnectionChange = (error: unknown) => deliver({ kind: 'connection', isLost: error !== undefined });
  try {
    for await (const event of parley.events(id, { after, signal, onConnectionChange }))
      deliver({ kind: 'event', event });
  } catch (error) {
    deliver({ kind: 'failed', error });
  }
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
  deliver: WatchEventListener,
): Promise<void> {
  const waiting = new Map<string, Question>();
  const addPending = (question: Question) => {
    waiting.set(toQuestionKey(question), question);
    if (question.conversationId !== id) return deliver({ kind: 'questionPending', question });
    void sleepUnlessAborted(CONVERSATION_HEAD_START_MS, signal).then(() => {
      if (waiting.has(toQuestionKey(question)) && !signal.aborted) deliver({ kind: 'questionPending', question });
    });
  };
  const markResolved = (question: Question) => {
    waiting.delete(toQuestionKey(question));
    deliver({ kind: 'questionResolved', question });
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
