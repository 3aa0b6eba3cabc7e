import { safeLine } from '#cli/text/safe';
import { clip, wrap } from '#cli/text/wrap';
import { editorLines } from './editor-view';
import { isNothingFound, type Row } from './rows';
import { type List, SKIP } from './step';
import { type Area, ELSEWHERE, HERE } from './view';
import type { Block } from './window';

interface Shown {
  row: Row;
  index: number;
  isHere: boolean;
  /** With what there is to say of it, although one is elsewhere. */
  isFull: boolean;
}

const NUMBERS = 9;
const NUMBER_WIDTH = 3;
/** Of the row one is at; the others are cut to one. */
const LABEL_LINES = 3;
/** For the lines that say how many more there are. */
const AROUND = 2;
const OTHER = 'Other: ';

/** One row of a list: where one is, whether it is chosen, its number, its label and what it means. */
export function rowBlock(list: List, shown: Shown, area: Area): Block {
  const { row, isHere, isFull } = shown;
  const { style } = area;
  const before = `${isHere ? HERE : ELSEWHERE}${boxOf(list, row)}${numberOf(list, shown)}`;
  const width = Math.max(area.width - before.length, 1);
  if (row.kind === 'other' && list.isWriting) return otherBlock(list, before, { ...area, width });
  const text = labelOf(list, row) + (isDefault(list, row) ? ' (default)' : '');
  const label = isHere ? wrap(text, width).slice(0, Math.min(LABEL_LINES, area.room)) : [clip(text, width)];
  const indent = ' '.repeat(before.length);
  const paint = isHere ? style.accent : (line: string) => line;
  const lines = label.map((line, index) => paint((index === 0 ? before : indent) + line));
  const about =
    isHere || isFull ? aboutLines(row, `${indent}${list.filter === undefined ? '' : '  '}`, area) : [];
  const room = isFull ? about.length : Math.max(0, area.room - AROUND - lines.length);
  return [...lines, ...about.slice(0, room)];
}

function aboutLines(row: Row, first: string, { width, style }: Area): string[] {
  if (row.kind !== 'option' || !row.option.description) return [];
  return wrap(safeLine(row.option.description), width, { first }).map(style.dim);
}

/** While its text is being written. */
function otherBlock({ other }: List, before: string, { width, room, style }: Area): Block {
  const lines = editorLines(other, width - OTHER.length, Math.min(LABEL_LINES, room), style);
  const indent = ' '.repeat(before.length + OTHER.length);
  return lines.map((line, index) => (index === 0 ? style.accent(before + OTHER) : indent) + line);
}

function numberOf({ filter }: List, { index }: Shown): string {
  if (filter !== undefined) return '';
  return (index < NUMBERS ? `${index + 1}.` : '').padEnd(NUMBER_WIDTH);
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
  return text === '' ? 'Other…' : `${OTHER}${text}`;
}

function isDefault({ field }: List, row: Row): boolean {
  return row.kind === 'option' && [field.default].flat().includes(row.option.label);
}
