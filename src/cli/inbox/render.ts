import { sanitizeLine } from '#cli/render/sanitize';
import { clipText } from '#cli/render/text';
import { renderFilter, type Viewport, windowLines } from '#cli/render/viewport';
import type { Question } from '#contract/question';
import { formatTimeAgo, formatTimeUntil } from '#presentation/format-time';
import { describeUnreadable, formatOrigin, NO_WORKER_MESSAGE, questionSummaryLine } from '#presentation/labels';
import { classifyUrgency, toQuestionKey } from '#presentation/question-list';
import { type InboxState, indexOfQuestion, listVisibleQuestions } from './state';

const LINES_PER_QUESTION = 2;
/** Minimum height at which a question gets a line of details. */
const ROOMY_LINES = 6;

/** Renders the inbox as lines that fit the viewport, with one left for the cursor. */
export function renderInbox(state: InboxState, viewport: Viewport, notice: string | undefined): string[] {
  const { style, width } = viewport;
  const clip = (text: string) => clipText(sanitizeLine(text), width);
  const header = [
    style.bold(clip(formatInboxTitle(state))),
    ...(state.filter === undefined ? [] : [renderFilter(state.filter, width)]),
    '',
  ];
  const footer = [
    '',
    ...(state.unreadable > 0 ? [style.warn(clip(describeUnreadable(state.unreadable)))] : []),
    ...(state.hasNoWorker ? [style.dim(clip(NO_WORKER_MESSAGE))] : []),
    ...(notice === undefined ? [] : [style.warn(clip(notice))]),
    style.dim(clip(formatInboxKeyHints(state, width))),
  ];
  const height = viewport.height - 1 - header.length - footer.length;
  return [...header, ...renderQuestionList(state, viewport, height), ...footer];
}

function formatInboxTitle({ questions, isTruncated, queuedKeys }: InboxState): string {
  if (!questions) return 'Loading questions…';
  const count = questions.length - questions.filter((question) => queuedKeys.has(toQuestionKey(question))).length;
  if (count === 0) return 'No open questions';
  return `${count}${isTruncated ? ' or more' : ''} open ${count === 1 ? 'question' : 'questions'}`;
}

function renderQuestionList(state: InboxState, viewport: Viewport, lines: number): string[] {
  const { width, style } = viewport;
  const visible = listVisibleQuestions(state);
  if (visible.length === 0) return [style.dim(clipText(formatEmptyList(state), width))];
  const linesPerRow = lines >= ROOMY_LINES ? LINES_PER_QUESTION : 1;
  const selected = indexOfQuestion(visible, state.selectedKey);
  const rows = visible.map((question, index) =>
    renderQuestionRow(question, index, index === selected, viewport).slice(0, linesPerRow),
  );
  return windowLines(rows, selected, { width, height: lines, style });
}

function formatEmptyList({ questions = [], filter }: InboxState): string {
  if (filter) return 'No matching questions. Esc clears the filter.';
  return questions.length > 0 ? 'All answered.' : 'New questions appear automatically.';
}

const NUMBERED_ROWS = 9;

function renderQuestionRow(question: Question, index: number, isSelected: boolean, viewport: Viewport): string[] {
  const { style, width } = viewport;
  const number = index < NUMBERED_ROWS ? `${index + 1}` : ' ';
  const mark = isSelected ? style.accent('❯') : ' ';
  const text = clipText(sanitizeLine(questionSummaryLine(question)), width - 4);
  const title = isSelected ? style.bold(style.accent(text)) : text;
  return [`${mark} ${style.dim(number)} ${title}`, `    ${formatQuestionDetails(question, viewport)}`];
}

function formatQuestionDetails(question: Question, { style, width, now }: Viewport): string {
  const { expiresAt, confirms, askedAt, origin } = question;
  const parts = [
    confirms && (confirms.destructive ? 'Approval (destructive)' : 'Approval'),
    expiresAt && `due ${formatTimeUntil(expiresAt, now)}`,
    sanitizeLine(formatOrigin(origin)),
    `asked ${formatTimeAgo(askedAt, now)}`,
  ];
  const line = clipText(parts.filter(Boolean).join(' · '), width - 4);
  return classifyUrgency(question, now) === 'calm' && !confirms?.destructive ? style.dim(line) : style.warn(line);
}

function formatInboxKeyHints(state: InboxState, width: number): string {
  if (state.filter === undefined && listVisibleQuestions(state).length === 0) return 'Esc quit';
  const hints = `↑↓ move · Enter answer · ${state.filter === undefined ? 'type to filter · Esc quit' : 'Esc clear'}`;
  return hints.length <= width ? hints : '↑↓ · Enter · Esc';
}
