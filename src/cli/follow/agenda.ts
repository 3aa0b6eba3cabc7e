import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import { mostUrgentFirst } from '#core/urgency';

/** Nobody has seen it; left for later; answered, but no worker has acted on it; for others to answer. */
export type Stand = 'new' | 'later' | 'kept' | 'others';

/** The questions that wait, of the conversation and of those that work for it, and what was done with each here. */
export class Agenda {
  private readonly open = new Map<string, { question: Question; stand: Stand }>();
  private readonly settled = new Set<string>();

  /** False where it was known. */
  ask(question: Question): boolean {
    const key = keyOf(question);
    if (this.open.has(key) || this.settled.has(key)) return false;
    this.open.set(key, { question, stand: 'new' });
    return true;
  }

  /** False where that was known. */
  settle(question: Question): boolean {
    const key = keyOf(question);
    this.open.delete(key);
    if (this.settled.has(key)) return false;
    this.settled.add(key);
    return true;
  }

  /** Nothing, where it was settled meanwhile. */
  mark(question: Question, stand: Stand): void {
    const one = this.open.get(keyOf(question));
    if (one) one.stand = stand;
  }

  /** Most urgent first. */
  those(...stands: Stand[]): Question[] {
    const all = [...this.open.values()].filter(({ stand }) => stands.includes(stand));
    return mostUrgentFirst(all.map(({ question }) => question));
  }
}
