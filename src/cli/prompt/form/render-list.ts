import { sanitizeLine, sanitizeText } from '#cli/render/sanitize';
import { clipText, displayWidth, wrapText } from '#cli/render/text';
import { type ChoiceRow, type ChoiceStep, hasNoMatches, listChoiceRows, SKIP_LABEL } from './field-step';
import { renderEditorLines } from './text-editor';
import { BLANK_MARK, CURRENT_MARK, type LineBlock, type RenderArea, windowLines } from './viewport';

const GRAPHEMES = new Intl.Segmenter();
const FILTER_LABEL = 'Filter: ';

export function renderChoices(list: ChoiceStep, area: RenderArea): string[] {
  const { width, style } = area;
  const above = [
    ...(list.filter === undefined ? [] : [renderFilter(list.filter, width)]),
    ...(hasNoMatches(list) ? [style.dim(clipText('Nothing matches.', width))] : []),
  ].slice(0, Math.max(0, area.room - 1));
  const room = area.room - above.length;
  const rows = listChoiceRows(list);
  const at = Math.min(list.at, Math.max(0, rows.length - 1));
  const drawn = (isFull: boolean) =>
    rows.map((row, index) => renderChoiceRow(list, { row, index, isHere: index === at, isFull }, { ...area, room }));
  const full = drawn(true);
  const blocks = full.flat().length <= room ? full : drawn(false);
  return [...above, ...windowLines(blocks, at, room, width, style)];
}

/** The end of it, where all of it does not fit. */
function renderFilter(filter: string, width: number): string {
  const characters = [...GRAPHEMES.segment(sanitizeText(filter))].map(({ segment }) => segment);
  let shown = '';
  while (
    characters.length > 0 &&
    displayWidth(shown) + displayWidth(characters.at(-1) ?? '') < width - FILTER_LABEL.length - 1
  )
    shown = characters.pop() + shown;
  return `${FILTER_LABEL}${characters.length > 0 ? '…' : ''}${shown}▏`;
}

interface DisplayedRow {
  row: ChoiceRow;
  index: number;
  isHere: boolean;
  /** With what there is to say of it, although one is elsewhere. */
  isFull: boolean;
}

const NUMBERED_ROWS = 9;
const NUMBER_WIDTH = 3;
/** Of the row one is at; the others are cut to one. */
const MAX_LABEL_LINES = 3;
/** For the lines that say how many more there are. */
const MORE_LINES = 2;
const OTHER_PREFIX = 'Other: ';

/** One row of a list: where one is, whether it is chosen, its number, its label and what it means. */
function renderChoiceRow(list: ChoiceStep, shown: DisplayedRow, area: RenderArea): LineBlock {
  const { row, isHere, isFull } = shown;
  const { style } = area;
  const before = `${isHere ? CURRENT_MARK : BLANK_MARK}${formatCheckbox(list, row)}${formatRowNumber(list, shown)}`;
  const width = Math.max(area.width - before.length, 1);
  if (row.kind === 'other' && list.isWriting) return renderOtherInput(list, before, { ...area, width });
  const text = formatRowLabel(list, row) + (isDefaultRow(list, row) ? ' (default)' : '');
  const label = isHere ? wrapText(text, width).slice(0, Math.min(MAX_LABEL_LINES, area.room)) : [clipText(text, width)];
  const indent = ' '.repeat(before.length);
  const paint = isHere ? style.accent : (line: string) => line;
  const lines = label.map((line, index) => paint((index === 0 ? before : indent) + line));
  const about =
    isHere || isFull ? renderDescription(row, `${indent}${list.filter === undefined ? '' : '  '}`, area) : [];
  const room = isFull ? about.length : Math.max(0, area.room - MORE_LINES - lines.length);
  return [...lines, ...about.slice(0, room)];
}

function renderDescription(row: ChoiceRow, first: string, { width, style }: RenderArea): string[] {
  if (row.kind !== 'option' || !row.option.description) return [];
  return wrapText(sanitizeLine(row.option.description), width, { first }).map(style.dim);
}

/** While its text is being written. */
function renderOtherInput({ other }: ChoiceStep, before: string, { width, room, style }: RenderArea): LineBlock {
  const lines = renderEditorLines(other, width - OTHER_PREFIX.length, Math.min(MAX_LABEL_LINES, room), style);
  const indent = ' '.repeat(before.length + OTHER_PREFIX.length);
  return lines.map((line, index) => (index === 0 ? style.accent(before + OTHER_PREFIX) : indent) + line);
}

function formatRowNumber({ filter }: ChoiceStep, { index }: DisplayedRow): string {
  if (filter !== undefined) return '';
  return (index < NUMBERED_ROWS ? `${index + 1}.` : '').padEnd(NUMBER_WIDTH);
}

function formatCheckbox({ isMany, picked, isOther }: ChoiceStep, row: ChoiceRow): string {
  if (!isMany) return '';
  const isOn = row.kind === 'option' ? picked.includes(row.option.label) : isOther;
  return isOn ? '[x] ' : '[ ] ';
}

function formatRowLabel(list: ChoiceStep, row: ChoiceRow): string {
  if (row.kind === 'option') return sanitizeLine(row.option.label);
  if (row.kind === 'skip') return SKIP_LABEL;
  const sought = hasNoMatches(list) ? list.filter : undefined;
  const text = sanitizeLine(sought || (list.isOther ? list.other.text : ''));
  return text === '' ? 'Other…' : `${OTHER_PREFIX}${text}`;
}

function isDefaultRow({ field }: ChoiceStep, row: ChoiceRow): boolean {
  return row.kind === 'option' && [field.default].flat().includes(row.option.label);
}
