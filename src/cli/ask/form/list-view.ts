import { safe, safeLine } from '../../text/safe';
import { clip, widthOf, wrap } from '../../text/wrap';
import { editorLines } from './editor-view';
import { isNothingFound, type Row, rowsOf } from './list';
import { type List, SKIP } from './step';
import { type Area, ELSEWHERE, HERE } from './view';
import { type Block, windowOf } from './window';

const SEGMENTS = new Intl.Segmenter();
const LABEL = 'Filter: ';
const NUMBERS = 9;
const NUMBER_WIDTH = 3;
/** Of the row one is at; the others are cut to one. */
const LABEL_LINES = 3;

export function listLines(list: List, area: Area): string[] {
  const { width, style } = area;
  const above = [
    ...(list.filter === undefined ? [] : [filterLine(list.filter, width)]),
    ...(isNothingFound(list) ? [style.dim(clip('Nothing matches.', width))] : []),
  ].slice(0, Math.max(0, area.room - 1));
  const room = area.room - above.length;
  const rows = rowsOf(list);
  const at = Math.min(list.at, Math.max(0, rows.length - 1));
  const drawn = (isFull: boolean) =>
    rows.map((row, index) => blockOf(list, row, index === at, isFull, { ...area, room }));
  const full = drawn(true);
  const blocks = full.flat().length <= room ? full : drawn(false);
  return [...above, ...windowOf(blocks, at, room, width, style)];
}

/** The end of it, where all of it does not fit. */
function filterLine(filter: string, width: number): string {
  const characters = [...SEGMENTS.segment(safe(filter))].map(({ segment }) => segment);
  let shown = '';
  while (
    characters.length > 0 &&
    widthOf(shown) + widthOf(characters.at(-1) ?? '') < width - LABEL.length - 1
  )
    shown = characters.pop() + shown;
  return `${LABEL}${characters.length > 0 ? '…' : ''}${shown}▏`;
}

function blockOf(
  list: List,
  row: Row,
  isHere: boolean,
  isFull: boolean,
  { width, room, style }: Area,
): Block {
  const number =
    row.kind === 'option' && row.number <= NUMBERS && list.filter === undefined ? `${row.number}. ` : '';
  const hasNumbers = list.filter === undefined;
  const before = `${isHere ? HERE : ELSEWHERE}${boxOf(list, row)}${hasNumbers ? number.padEnd(NUMBER_WIDTH) : ''}`;
  const paint = isHere ? style.accent : (text: string) => text;
  const within = Math.max(width - before.length, 1);
  if (row.kind === 'other' && list.isWriting) {
    const lines = editorLines(
      list.other,
      Math.max(within - 7, 2),
      Math.max(1, Math.min(LABEL_LINES, room)),
      style,
    );
    return lines.map((line, index) =>
      index === 0 ? `${paint(before)}Other: ${line}` : ' '.repeat(before.length + 7) + line,
    );
  }
  const mark = isDefault(list, row) ? ' (default)' : '';
  const text = labelOf(list, row) + mark;
  const label = isHere ? wrap(text, within).slice(0, LABEL_LINES) : [clip(text, within)];
  const head = label.map((line, index) => paint((index === 0 ? before : ' '.repeat(before.length)) + line));
  const about = row.kind === 'option' && (isHere || isFull) ? aboutLines(row.option.description, within) : [];
  const most = Math.max(0, room - 2 - head.length);
  return [
    ...head.slice(0, Math.max(1, room)),
    ...(isFull ? about : about.slice(0, most)).map((line) => ' '.repeat(before.length) + style.dim(line)),
  ];
}

function aboutLines(description: string | undefined, width: number): string[] {
  return description ? wrap(safeLine(description), width) : [];
}

function boxOf({ isMany, picked, isOther }: List, row: Row): string {
  if (!isMany) return '';
  const isOn = row.kind === 'option' ? picked.includes(row.option.label) : isOther;
  return isOn ? '[x] ' : '[ ] ';
}

function labelOf(list: List, row: Row): string {
  if (row.kind === 'option') return safeLine(row.option.label);
  if (row.kind === 'skip') return SKIP;
  const sought = isNothingFound(list) ? list.filter : undefined;
  const text = safeLine(sought || (list.isOther ? list.other.text : ''));
  return text === '' ? 'Other…' : `Other: ${text}`;
}

function isDefault({ field }: List, row: Row): boolean {
  if (row.kind !== 'option') return false;
  return [field.default].flat().includes(row.option.label);
}
