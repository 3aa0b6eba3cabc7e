import { foldCase } from '#cli/render/text';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { formatOrigin, questionSummaryLine } from '#presentation/labels';
import { insertByUrgency, type QuestionKey, sortByUrgency, toQuestionKey } from '#presentation/question-list';

/** The open questions and the current selection. */
export interface InboxState {
  /** Undefined until the first snapshot. */
  questions: Question[] | undefined;
  isTruncated: boolean;
  /** Number of questions left out because their encryption key is missing. */
  unreadable: number;
  /** No worker is running, so answers are queued. */
  hasNoWorker: boolean;
  /** The selected question. */
  selectedKey: QuestionKey | undefined;
  /** The typed filter; undefined if there is none. */
  filter: string | undefined;
  /** Questions whose answer is queued: still open on the server, but hidden here. */
  queuedKeys: ReadonlySet<QuestionKey>;
}

export const EMPTY_INBOX: InboxState = {
  questions: undefined,
  isTruncated: false,
  unreadable: 0,
  hasNoWorker: false,
  selectedKey: undefined,
  filter: undefined,
  queuedKeys: new Set(),
};

/** Applies one event. The selection stays on its question, or moves to the one that took its place. */
export function applyInboxEvent(state: InboxState, event: InboxEvent): InboxState {
  return preserveSelection({ ...state, ...changeAfterEvent(state, event) }, listVisibleQuestions(state));
}

function changeAfterEvent({ questions = [] }: InboxState, event: InboxEvent): Partial<InboxState> {
  if (event.event === 'snapshot') {
    const { items, truncated = false, unreadable = 0 } = event.data;
    return { questions: sortByUrgency(items), isTruncated: truncated, unreadable };
  }
  const others = questions.filter((question) => toQuestionKey(question) !== toQuestionKey(event.data));
  return { questions: event.event === 'question_pending' ? insertByUrgency(others, event.data) : others };
}

/** Lists the questions that can be selected, in order. */
export function listVisibleQuestions({ questions = [], filter = '', queuedKeys }: InboxState): Question[] {
  const terms = foldCase(filter).split(/\s+/).filter(Boolean);
  const open = questions.filter((question) => !queuedKeys.has(toQuestionKey(question)));
  return terms.length === 0 ? open : open.filter((question) => hasAllTerms(question, terms));
}

function hasAllTerms(question: Question, terms: string[]): boolean {
  const text = foldCase(
    [questionSummaryLine(question), formatOrigin(question.origin), question.conversationId].join(' '),
  );
  return terms.every((term) => text.includes(term));
}

function preserveSelection(state: InboxState, previouslyVisible: Question[]): InboxState {
  const visible = listVisibleQuestions(state);
  if (visible.some((question) => toQuestionKey(question) === state.selectedKey)) return state;
  const next = visible[Math.min(indexOfQuestion(previouslyVisible, state.selectedKey), visible.length - 1)];
  return { ...state, selectedKey: next && toQuestionKey(next) };
}

export function selectedIndex(state: InboxState): number {
  return indexOfQuestion(listVisibleQuestions(state), state.selectedKey);
}

export function indexOfQuestion(questions: readonly Question[], key: QuestionKey | undefined): number {
  return Math.max(
    0,
    questions.findIndex((question) => toQuestionKey(question) === key),
  );
}

export function selectedQuestion(state: InboxState): Question | undefined {
  const visible = listVisibleQuestions(state);
  return visible[indexOfQuestion(visible, state.selectedKey)];
}

/** Selects the question at an index, clamped to the list. */
export function selectIndex(state: InboxState, index: number): InboxState {
  const visible = listVisibleQuestions(state);
  const question = visible[Math.max(0, Math.min(index, visible.length - 1))];
  return { ...state, selectedKey: question && toQuestionKey(question) };
}

export function setInboxFilter(state: InboxState, filter: string | undefined): InboxState {
  return preserveSelection({ ...state, filter }, []);
}

/** Hides a question whose answer is queued. */
export function hideAnsweredQuestion(state: InboxState, question: Question): InboxState {
  return preserveSelection(
    { ...state, queuedKeys: new Set([...state.queuedKeys, toQuestionKey(question)]) },
    listVisibleQuestions(state),
  );
}

/** Which questions to show: those of one agent, or of one conversation and its sub-agents. */
export interface InboxScope {
  agent?: string;
  conversation?: string;
}
