import { safeLine } from '#cli/text/safe';
import type { Style } from '#cli/text/style';
import { clip } from '#cli/text/wrap';
import type { Question } from '#contract/question';
import { isDangerous } from '#core/danger';
import { keyOf } from '#core/question-key';
import { ago, until } from '#core/times';
import { urgencyOf } from '#core/urgency';
import { headline, lineageText, NO_WORKER, unreadableText } from '#core/words';
import { placeIn, type Shelf, shownOn } from './shelf';

export interface Room {
  width: number;
  height: number;
  style: Style;
  now: number;
}

const LINES_EACH = 2;
/** From here on it is worth a line to say how many more there are. */
const ROOMY = 6;

/** The inbox as lines that fit, with one left for the cursor. */
export function drawInbox(shelf: Shelf, room: Room, said: string | undefined): string[] {
  const { style, width } = room;
  const head = [style.bold(clip(titleOf(shelf), width)), ...filterLine(shelf, room), ''];
  const news = said === undefined ? [] : [style.warn(clip(safeLine(said), width))];
  const left = shelf.unreadable > 0 ? [style.warn(clip(unreadableText(shelf.unreadable), width))] : [];
  const alone = shelf.hasNoWorker ? [style.dim(clip(NO_WORKER, width))] : [];
  const foot = ['', ...left, ...alone, ...news, style.dim(clip(keysFor(shelf, width), width))];
  return [...head, ...list(shelf, room, room.height - 1 - head.length - foot.length), ...foot];
}

function titleOf({ questions, isTruncated, kept }: Shelf): string {
  if (!questions) return 'Looking for questions …';
  const count = questions.length - questions.filter((one) => kept.has(keyOf(one))).length;
  if (count === 0) return 'Nothing waits for an answer';
  return `${count}${isTruncated ? ' or more' : ''} ${count === 1 ? 'question waits' : 'questions wait'}`;
}

function filterLine({ filter }: Shelf, { style, width }: Room): string[] {
  if (filter === undefined) return [];
  return [`Filter: ${clip(safeLine(filter), Math.max(width - 10, 1))}${style.inverse(' ')}`];
}

function list(shelf: Shelf, room: Room, lines: number): string[] {
  const shown = shownOn(shelf);
  if (shown.length === 0) return [room.style.dim(clip(nothing(shelf), room.width))];
  const each = lines >= ROOMY ? LINES_EACH : 1;
  const isCut = shown.length * each > lines && lines >= ROOMY;
  const fits = Math.max(1, Math.floor((lines - (isCut ? 2 : 0)) / each));
  const place = placeIn(shown, shelf.at);
  const from = firstShown(place, shown.length, fits);
  const rows = shown.slice(from, from + fits).flatMap((question, index) => {
    const isAt = from + index === place;
    return row(question, from + index, isAt, room).slice(0, each);
  });
  const more = (count: number, arrow: string) =>
    isCut && count > 0 ? [room.style.dim(`  ${arrow} ${count} more`)] : [];
  return [...more(from, '↑'), ...rows, ...more(shown.length - from - fits, '↓')];
}

/** So that the marked one is in the middle, where there is that much. */
function firstShown(place: number, count: number, fits: number): number {
  return Math.max(0, Math.min(place - Math.floor(fits / 2), count - fits));
}

function nothing({ questions = [], filter }: Shelf): string {
  if (filter) return `Nothing has ${JSON.stringify(safeLine(filter))} in it. Esc shows all.`;
  return questions.length > 0 ? 'All answered.' : 'New ones show up here by themselves.';
}

const DIGITS = 9;

function row(question: Question, place: number, isAt: boolean, { style, width, now }: Room): string[] {
  const number = place < DIGITS ? `${place + 1}` : ' ';
  const mark = isAt ? style.accent('❯') : ' ';
  const text = clip(safeLine(headline(question)), width - 4);
  const title = isAt ? style.bold(style.accent(text)) : text;
  return [
    `${mark} ${style.dim(number)} ${title}`,
    `    ${about(question, { style, width: width - 4, now })}`,
  ];
}

function about(question: Question, { style, width, now }: Pick<Room, 'style' | 'width' | 'now'>): string {
  const { expiresAt, confirms, askedAt, origin } = question;
  const parts = [
    confirms && (isDangerous(question) ? 'Confirm, with care' : 'Confirm'),
    expiresAt && `due ${until(expiresAt, now)}`,
    safeLine(lineageText(origin)),
    `asked ${ago(askedAt, now)}`,
  ];
  const line = clip(parts.filter(Boolean).join(' · '), width);
  return urgencyOf(question, now) === 'calm' && !(confirms && isDangerous(question))
    ? style.dim(line)
    : style.warn(line);
}

const KEYS = {
  list: ['↑↓ choose · Enter answer · type to filter · Esc leave', '↑↓ · Enter · Esc'],
  filter: ['↑↓ choose · Enter answer · Esc all', '↑↓ · Enter · Esc'],
  empty: ['Esc leave'],
};

function keysFor(shelf: Shelf, width: number): string {
  const keys = shelf.filter !== undefined ? KEYS.filter : shownOn(shelf).length > 0 ? KEYS.list : KEYS.empty;
  return keys.find((line) => line.length <= width) ?? keys.at(-1) ?? '';
}
