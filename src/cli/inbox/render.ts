import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine } from '#cli/render/sanitize';
import { clipText } from '#cli/render/text';
import type { Question } from '#contract/question';
import { formatTimeAgo, formatTimeUntil } from '#presentation/format-time';
import { describeUnreadable, formatOrigin, NO_WORKER_MESSAGE, questionSummaryLine } from '#presentation/labels';
import { classifyUrgency, toQuestionKey } from '#presentation/question-list';
import { type InboxState, indexOfQuestion, listVisibleQuestions } from './state';

export interface InboxViewport {
  width: number;
  height: number;
  style: TextStyle;
  now: number;
}

const LINES_PER_QUESTION = 2;
/** From this height on, lines show how many more questions there are. */
const ROOMY_LINES = 6;

/** Renders the inbox as lines that fit, with one left for the cursor. */
export function renderInbox(state: InboxState, viewport: InboxViewport, notice: string | undefined): string[] {
  const { style, width } = viewport;
  const header = [style.bold(clipText(formatInboxTitle(state), width)), ...renderInboxFilter(state, viewport), ''];
  const noticeLines = notice === undefined ? [] : [style.warn(clipText(sanitizeLine(notice), width))];
  const unreadableLines =
    state.unreadable > 0 ? [style.warn(clipText(describeUnreadable(state.unreadable), width))] : [];
  const noWorkerLines = state.hasNoWorker ? [style.dim(clipText(NO_WORKER_MESSAGE, width))] : [];
  const footer = [
    '',
    ...unreadableLines,
    ...noWorkerLines,
    ...noticeLines,
    style.dim(clipText(formatInboxKeyHints(state, width), width)),
  ];
  return [
    ...header,
    ...renderQuestionList(state, viewport, viewport.height - 1 - header.length - footer.length),
    ...footer,
  ];
}

function formatInboxTitle({ questions, isTruncated, queuedKeys }: InboxState): string {
  if (!questions) return 'Looking for questions …';
  const count = questions.length - questions.filter((question) => queuedKeys.has(toQuestionKey(question))).length;
  if (count === 0) return 'Nothing waits for an answer';
  return `${count}${isTruncated ? ' or more' : ''} ${count === 1 ? 'question waits' : 'questions wait'}`;
}

function renderInboxFilter({ filter }: InboxState, { style, width }: InboxViewport): string[] {
  if (filter === undefined) return [];
  return [`Filter: ${clipText(sanitizeLine(filter), Math.max(width - 10, 1))}${style.inverse(' ')}`];
}

function renderQuestionList(state: InboxState, viewport: InboxViewport, lines: number): string[] {
  const visible = listVisibleQuestions(state);
  if (visible.length === 0) return [viewport.style.dim(clipText(formatEmptyList(state), viewport.width))];
  const linesPerRow = lines >= ROOMY_LINES ? LINES_PER_QUESTION : 1;
  const isTruncated = visible.length * linesPerRow > lines && lines >= ROOMY_LINES;
  const rowCount = Math.max(1, Math.floor((lines - (isTruncated ? 2 : 0)) / linesPerRow));
  const selected = indexOfQuestion(visible, state.selectedKey);
  const first = findFirstVisible(selected, visible.length, rowCount);
  const rows = visible.slice(first, first + rowCount).flatMap((question, index) => {
    const isSelected = first + index === selected;
    return renderQuestionRow(question, first + index, isSelected, viewport).slice(0, linesPerRow);
  });
  const more = (count: number, arrow: string) =>
    isTruncated && count > 0 ? [viewport.style.dim(`  ${arrow} ${count} more`)] : [];
  return [...more(first, '↑'), ...rows, ...more(visible.length - first - rowCount, '↓')];
}

/** Keeps the selected row in the middle, if there are enough rows. */
function findFirstVisible(selected: number, count: number, rowCount: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rowCount / 2), count - rowCount));
}

function formatEmptyList({ questions = [], filter }: InboxState): string {
  if (filter) return `Nothing has ${JSON.stringify(sanitizeLine(filter))} in it. Esc shows all.`;
  return questions.length > 0 ? 'All answered.' : 'New ones show up here by themselves.';
}

const NUMBERED_ROWS = 9;

function renderQuestionRow(
  question: Question,
  index: number,
  isSelected: boolean,
  { style, width, now }: InboxViewport,
): string[] {
  const number = index < NUMBERED_ROWS ? `${index + 1}` : ' ';
  const mark = isSelected ? style.accent('❯') : ' ';
  const text = clipText(sanitizeLine(questionSummaryLine(question)), width - 4);
  const title = isSelected ? style.bold(style.accent(text)) : text;
  return [
    `${mark} ${style.dim(number)} ${title}`,
    `    ${formatQuestionDetails(question, { style, width: width - 4, now })}`,
  ];
}

function formatQuestionDetails(
  question: Question,
  { style, width, now }: Pick<InboxViewport, 'style' | 'width' | 'now'>,
): string {
  const { expiresAt, confirms, askedAt, origin } = question;
  const parts = [
    confirms && (confirms.destructive ? 'Confirm, with care' : 'Confirm'),
    expiresAt && `due ${formatTimeUntil(expiresAt, now)}`,
    sanitizeLine(formatOrigin(origin)),
    `asked ${formatTimeAgo(askedAt, now)}`,
  ];
  const line = clipText(parts.filter(Boolean).join(' · '), width);
  return classifyUrgency(question, now) === 'calm' && !confirms?.destructive ? style.dim(line) : style.warn(line);
}

const INBOX_KEY_HINTS = {
  list: ['↑↓ choose · Enter answer · type to filter · Esc leave', '↑↓ · Enter · Esc'],
  filter: ['↑↓ choose · Enter answer · Esc all', '↑↓ · Enter · Esc'],
  empty: ['Esc leave'],
};

function formatInboxKeyHints(state: InboxState, width: number): string {
  const hints =
    state.filter !== undefined
      ? INBOX_KEY_HINTS.filter
      : listVisibleQuestions(state).length > 0
        ? INBOX_KEY_HINTS.list
        : INBOX_KEY_HINTS.empty;
  return hints.find((line) => line.length <= width) ?? hints.at(-1) ?? '';
}
