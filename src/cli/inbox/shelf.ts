import { fold } from '#cli/text/fold';
import type { InboxEvent } from '#contract/event';
import type { Question } from '#contract/question';
import { keyOf, type QuestionKey } from '#core/question-key';
import { mostUrgentFirst, withOne } from '#core/urgency';
import { headline, lineageText } from '#core/words';

/** What waits, and where on it somebody is. */
export interface Shelf {
  /** Undefined until they are known. */
  questions: Question[] | undefined;
  isTruncated: boolean;
  /** How many are left out, as the key they were encrypted with is missing. */
  unreadable: number;
  /** Nobody acts on anything just now. */
  hasNoWorker: boolean;
  /** The question that is marked. */
  at: QuestionKey | undefined;
  /** Typed to find one; undefined while nobody looks for anything. */
  filter: string | undefined;
  /** Sent, and not yet acted on: they are still on the shelf, and nobody need be asked again. */
  kept: ReadonlySet<QuestionKey>;
}

export const EMPTY: Shelf = {
  questions: undefined,
  isTruncated: false,
  unreadable: 0,
  hasNoWorker: false,
  at: undefined,
  filter: undefined,
  kept: new Set(),
};

/** The shelf, one event further. Whoever was at a question stays there; where it is gone, at the one that took its place. */
export function take(shelf: Shelf, event: InboxEvent): Shelf {
  const questions = after(shelf, event);
  const isTruncated = event.event === 'snapshot' ? (event.data.truncated ?? false) : shelf.isTruncated;
  const unreadable = event.event === 'snapshot' ? (event.data.unreadable ?? 0) : shelf.unreadable;
  return stay({ ...shelf, questions, isTruncated, unreadable }, shownOn(shelf));
}

function after({ questions = [] }: Shelf, event: InboxEvent): Question[] {
  if (event.event === 'snapshot') return mostUrgentFirst(event.data.items);
  const others = questions.filter((one) => keyOf(one) !== keyOf(event.data));
  return event.event === 'question_pending' ? withOne(others, event.data) : others;
}

/** What can be gone to, in order. */
export function shownOn({ questions = [], filter = '', kept }: Shelf): Question[] {
  const words = fold(filter).split(/\s+/).filter(Boolean);
  const open = questions.filter((question) => !kept.has(keyOf(question)));
  return words.length === 0 ? open : open.filter((question) => hasAll(question, words));
}

function hasAll(question: Question, words: string[]): boolean {
  const text = fold([headline(question), lineageText(question.origin), question.conversationId].join(' '));
  return words.every((word) => text.includes(word));
}

function stay(shelf: Shelf, before: Question[]): Shelf {
  const shown = shownOn(shelf);
  if (shown.some((question) => keyOf(question) === shelf.at)) return shelf;
  const next = shown[Math.min(placeIn(before, shelf.at), shown.length - 1)];
  return { ...shelf, at: next && keyOf(next) };
}

export function placeOf(shelf: Shelf): number {
  return placeIn(shownOn(shelf), shelf.at);
}

export function placeIn(shown: readonly Question[], at: QuestionKey | undefined): number {
  return Math.max(
    0,
    shown.findIndex((question) => keyOf(question) === at),
  );
}

export function marked(shelf: Shelf): Question | undefined {
  const shown = shownOn(shelf);
  return shown[placeIn(shown, shelf.at)];
}

/** To that place, or as far as there are questions. */
export function goTo(shelf: Shelf, place: number): Shelf {
  const shown = shownOn(shelf);
  const question = shown[Math.max(0, Math.min(place, shown.length - 1))];
  return { ...shelf, at: question && keyOf(question) };
}

export function look(shelf: Shelf, filter: string | undefined): Shelf {
  return stay({ ...shelf, filter }, []);
}

/** It is answered as far as this person is concerned. */
export function keep(shelf: Shelf, question: Question): Shelf {
  return stay({ ...shelf, kept: new Set([...shelf.kept, keyOf(question)]) }, shownOn(shelf));
}
