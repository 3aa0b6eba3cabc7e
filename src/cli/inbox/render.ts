import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine } from '#cli/render/sanitize';
import { clipText } from '#cli/render/text';
import type { Question } from '#contract/question';
import { looksDestructive } from '#presentation/confirmation';
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
/** From here on it is worth a line to say how many more there are. */
const ROOMY_LINES = 6;

/** The inbox as lines that fit, with one left for the cursor. */
export function renderInbox(shelf: InboxState, room: InboxViewport, said: string | undefined): string[] {
  const { style, width } = room;
  const head = [style.bold(clipText(formatInboxTitle(shelf), width)), ...renderInboxFilter(shelf, room), ''];
  const news = said === undefined ? [] : [style.warn(clipText(sanitizeLine(said), width))];
  const left = shelf.unreadable > 0 ? [style.warn(clipText(describeUnreadable(shelf.unreadable), width))] : [];
  const alone = shelf.hasNoWorker ? [style.dim(clipText(NO_WORKER_MESSAGE, width))] : [];
  const foot = ['', ...left, ...alone, ...news, style.dim(clipText(formatInboxKeyHints(shelf, width), width))];
  return [...head, ...renderQuestionList(shelf, room, room.height - 1 - head.length - foot.length), ...foot];
}

function formatInboxTitle({ questions, isTruncated, kept }: InboxState): string {
  if (!questions) return 'Looking for questions …';
  const count = questions.length - questions.filter((one) => kept.has(toQuestionKey(one))).length;
  if (count === 0) return 'Nothing waits for an answer';
  return `${count}${isTruncated ? ' or more' : ''} ${count === 1 ? 'question waits' : 'questions wait'}`;
}

function renderInboxFilter({ filter }: InboxState, { style, width }: InboxViewport): string[] {
  if (filter === undefined) return [];
  return [`Filter: ${clipText(sanitizeLine(filter), Math.max(width - 10, 1))}${style.inverse(' ')}`];
}

function renderQuestionList(shelf: InboxState, room: InboxViewport, lines: number): string[] {
  const shown = listVisibleQuestions(shelf);
  if (shown.length === 0) return [room.style.dim(clipText(formatEmptyList(shelf), room.width))];
  const each = lines >= ROOMY_LINES ? LINES_PER_QUESTION : 1;
  const isCut = shown.length * each > lines && lines >= ROOMY_LINES;
  const fits = Math.max(1, Math.floor((lines - (isCut ? 2 : 0)) / each));
  const place = indexOfQuestion(shown, shelf.at);
  const from = findFirstVisible(place, shown.length, fits);
  const rows = shown.slice(from, from + fits).flatMap((question, index) => {
    const isAt = from + index === place;
    return renderQuestionRow(question, from + index, isAt, room).slice(0, each);
  });
  const more = (count: number, arrow: string) =>
    isCut && count > 0 ? [room.style.dim(`  ${arrow} ${count} more`)] : [];
  return [...more(from, '↑'), ...rows, ...more(shown.length - from - fits, '↓')];
}

/** So that the marked one is in the middle, where there is that much. */
function findFirstVisible(place: number, count: number, fits: number): number {
  return Math.max(0, Math.min(place - Math.floor(fits / 2), count - fits));
}

function formatEmptyList({ questions = [], filter }: InboxState): string {
  if (filter) return `Nothing has ${JSON.stringify(sanitizeLine(filter))} in it. Esc shows all.`;
  return questions.length > 0 ? 'All answered.' : 'New ones show up here by themselves.';
}

const NUMBERED_ROWS = 9;

function renderQuestionRow(
  question: Question,
  place: number,
  isAt: boolean,
  { style, width, now }: InboxViewport,
): string[] {
  const number = place < NUMBERED_ROWS ? `${place + 1}` : ' ';
  const mark = isAt ? style.accent('❯') : ' ';
  const text = clipText(sanitizeLine(questionSummaryLine(question)), width - 4);
  const title = isAt ? style.bold(style.accent(text)) : text;
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
    confirms && (looksDestructive(question) ? 'Confirm, with care' : 'Confirm'),
    expiresAt && `due ${formatTimeUntil(expiresAt, now)}`,
    sanitizeLine(formatOrigin(origin)),
    `asked ${formatTimeAgo(askedAt, now)}`,
  ];
  const line = clipText(parts.filter(Boolean).join(' · '), width);
  return classifyUrgency(question, now) === 'calm' && !(confirms && looksDestructive(question))
    ? style.dim(line)
    : style.warn(line);
}

const INBOX_KEY_HINTS = {
  list: ['↑↓ choose · Enter answer · type to filter · Esc leave', '↑↓ · Enter · Esc'],
  filter: ['↑↓ choose · Enter answer · Esc all', '↑↓ · Enter · Esc'],
  empty: ['Esc leave'],
};

function formatInboxKeyHints(shelf: InboxState, width: number): string {
  const keys =
    shelf.filter !== undefined
      ? INBOX_KEY_HINTS.filter
      : listVisibleQuestions(shelf).length > 0
        ? INBOX_KEY_HINTS.list
        : INBOX_KEY_HINTS.empty;
  return keys.find((line) => line.length <= width) ?? keys.at(-1) ?? '';
}
