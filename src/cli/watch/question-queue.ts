import type { Question } from '#contract/question';
import { sortByUrgency, toQuestionKey } from '#presentation/question-list';

/**
 * `new`: not shown yet; `later`: postponed; `queued`: answered, but not handled by a worker; `others`: left to others.
 */
export type QueuedQuestionState = 'new' | 'later' | 'queued' | 'others';

/** The open questions of a conversation and its sub-agents, with their states in this watch. */
export class QuestionQueue {
  private readonly entries = new Map<string, { question: Question; state: QueuedQuestionState }>();
  private readonly resolved = new Set<string>();

  /** Returns false if the question is already known. */
  add(question: Question): boolean {
    const key = toQuestionKey(question);
    if (this.entries.has(key) || this.resolved.has(key)) return false;
    this.entries.set(key, { question, state: 'new' });
    return true;
  }

  /** Returns false if the question is already known to be resolved. */
  resolve(question: Question): boolean {
    const key = toQuestionKey(question);
    this.entries.delete(key);
    if (this.resolved.has(key)) return false;
    this.resolved.add(key);
    return true;
  }

  /** Does nothing if the question has been resolved. */
  setState(question: Question, state: QueuedQuestionState): void {
    const entry = this.entries.get(toQuestionKey(question));
    if (entry) entry.state = state;
  }

  /** Most urgent first. */
  withState(...states: QueuedQuestionState[]): Question[] {
    const matching = [...this.entries.values()].filter(({ state }) => states.includes(state));
    return sortByUrgency(matching.map(({ question }) => question));
  }
}

/** What the conversation waits for, and the keys that work during that time. */
export interface WaitingStatus {
  text: string;
  keyHints: string[];
}

const LEAVE_KEY_HINT = 'Ctrl-C to quit';

export function describeWaiting(queue: QuestionQueue): WaitingStatus | undefined {
  if (queue.withState('later').length > 0)
    return { text: 'Waiting for an answer', keyHints: ['Enter to answer', LEAVE_KEY_HINT] };
  if (queue.withState('others').length > 0)
    return { text: 'Waiting for someone else to answer', keyHints: [LEAVE_KEY_HINT] };
  if (queue.withState('queued').length > 0)
    return { text: 'Answer saved. Waiting for a worker to pick it up.', keyHints: [LEAVE_KEY_HINT] };
  return undefined;
}
