import type { Question } from '#contract/question';
import { sortByUrgency, toQuestionKey } from '#presentation/question-list';

/**
 * `new`: not shown yet; `later`: postponed; `queued`: answered, but not handled by a worker; `others`: left to others.
 */
type QueuedQuestionState = 'new' | 'later' | 'queued' | 'others';

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

/** Describes what the conversation waits for, and the keys that work during that time. */
export function describeWaiting(queue: QuestionQueue): string[] | undefined {
  const isAny = (state: QueuedQuestionState) => queue.withState(state).length > 0;
  if (isAny('later')) return ['Waiting for an answer', 'Enter to answer', 'Ctrl-C to quit'];
  if (isAny('others')) return ['Waiting for someone else to answer', 'Ctrl-C to quit'];
  if (isAny('queued')) return ['Answer saved. Waiting for a worker to pick it up.', 'Ctrl-C to quit'];
  return undefined;
}
