import type { Question } from '#contract/question';
import { sortByUrgency, toQuestionKey } from '#presentation/question-list';

/** Nobody has seen it; left for later; answered, but no worker has acted on it; for others to answer. */
export type QueuedQuestionState = 'new' | 'later' | 'kept' | 'others';

/** The questions that wait, of the conversation and of those that work for it, and what was done with each here. */
export class QuestionQueue {
  private readonly open = new Map<string, { question: Question; stand: QueuedQuestionState }>();
  private readonly settled = new Set<string>();

  /** False where it was known. */
  ask(question: Question): boolean {
    const key = toQuestionKey(question);
    if (this.open.has(key) || this.settled.has(key)) return false;
    this.open.set(key, { question, stand: 'new' });
    return true;
  }

  /** False where that was known. */
  settle(question: Question): boolean {
    const key = toQuestionKey(question);
    this.open.delete(key);
    if (this.settled.has(key)) return false;
    this.settled.add(key);
    return true;
  }

  /** Nothing, where it was settled meanwhile. */
  mark(question: Question, stand: QueuedQuestionState): void {
    const one = this.open.get(toQuestionKey(question));
    if (one) one.stand = stand;
  }

  /** Most urgent first. */
  those(...stands: QueuedQuestionState[]): Question[] {
    const all = [...this.open.values()].filter(({ stand }) => stands.includes(stand));
    return sortByUrgency(all.map(({ question }) => question));
  }
}

/** Why nothing happens: what it waits for, and what one can do. */
export interface WaitingStatus {
  what: string;
  keys: string[];
}

const LEAVE_KEY_HINT = 'Ctrl-C to leave';

export function describeWaiting(agenda: QuestionQueue): WaitingStatus | undefined {
  if (agenda.those('later').length > 0)
    return { what: 'Waits for an answer', keys: ['Enter to answer', LEAVE_KEY_HINT] };
  if (agenda.those('others').length > 0) return { what: 'Waits for somebody else to answer', keys: [LEAVE_KEY_HINT] };
  if (agenda.those('kept').length > 0)
    return { what: 'Your answer is kept until a worker takes it', keys: [LEAVE_KEY_HINT] };
  return undefined;
}
