import { foldCase } from '#cli/render/text';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { formatOrigin, questionSummaryLine } from '#presentation/labels';
import { insertByUrgency, type QuestionKey, sortByUrgency, toQuestionKey } from '#presentation/question-list';

/** What waits, and where on it somebody is. */
export interface InboxState {
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

export const EMPTY_INBOX: InboxState = {
  questions: undefined,
  isTruncated: false,
  unreadable: 0,
  hasNoWorker: false,
  at: undefined,
  filter: undefined,
  kept: new Set(),
};

/** The shelf, one event further. Whoever was at a question stays there; where it is gone, at the one that took its place. */
export function applyInboxEvent(shelf: InboxState, event: InboxEvent): InboxState {
  const questions = questionsAfterEvent(shelf, event);
  const isTruncated = event.event === 'snapshot' ? (event.data.truncated ?? false) : shelf.isTruncated;
  const unreadable = event.event === 'snapshot' ? (event.data.unreadable ?? 0) : shelf.unreadable;
  return preserveSelection({ ...shelf, questions, isTruncated, unreadable }, listVisibleQuestions(shelf));
}

function questionsAfterEvent({ questions = [] }: InboxState, event: InboxEvent): Question[] {
  if (event.event === 'snapshot') return sortByUrgency(event.data.items);
  const others = questions.filter((one) => toQuestionKey(one) !== toQuestionKey(event.data));
  return event.event === 'question_pending' ? insertByUrgency(others, event.data) : others;
}

/** What can be gone to, in order. */
export function listVisibleQuestions({ questions = [], filter = '', kept }: InboxState): Question[] {
  const words = foldCase(filter).split(/\s+/).filter(Boolean);
  const open = questions.filter((question) => !kept.has(toQuestionKey(question)));
  return words.length === 0 ? open : open.filter((question) => hasAllTerms(question, words));
}

function hasAllTerms(question: Question, words: string[]): boolean {
  const text = foldCase(
    [questionSummaryLine(question), formatOrigin(question.origin), question.conversationId].join(' '),
  );
  return words.every((word) => text.includes(word));
}

function preserveSelection(shelf: InboxState, before: Question[]): InboxState {
  const shown = listVisibleQuestions(shelf);
  if (shown.some((question) => toQuestionKey(question) === shelf.at)) return shelf;
  const next = shown[Math.min(indexOfQuestion(before, shelf.at), shown.length - 1)];
  return { ...shelf, at: next && toQuestionKey(next) };
}

export function selectedIndex(shelf: InboxState): number {
  return indexOfQuestion(listVisibleQuestions(shelf), shelf.at);
}

export function indexOfQuestion(shown: readonly Question[], at: QuestionKey | undefined): number {
  return Math.max(
    0,
    shown.findIndex((question) => toQuestionKey(question) === at),
  );
}

export function selectedQuestion(shelf: InboxState): Question | undefined {
  const shown = listVisibleQuestions(shelf);
  return shown[indexOfQuestion(shown, shelf.at)];
}

/** To that place, or as far as there are questions. */
export function selectIndex(shelf: InboxState, place: number): InboxState {
  const shown = listVisibleQuestions(shelf);
  const question = shown[Math.max(0, Math.min(place, shown.length - 1))];
  return { ...shelf, at: question && toQuestionKey(question) };
}

export function setInboxFilter(shelf: InboxState, filter: string | undefined): InboxState {
  return preserveSelection({ ...shelf, filter }, []);
}

/** It is answered as far as this person is concerned. */
export function hideAnsweredQuestion(shelf: InboxState, question: Question): InboxState {
  return preserveSelection(
    { ...shelf, kept: new Set([...shelf.kept, toQuestionKey(question)]) },
    listVisibleQuestions(shelf),
  );
}

/** Of whose questions. */
export interface InboxScope {
  agent?: string;
  conversation?: string;
}
