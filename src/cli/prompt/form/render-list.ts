import { sanitizeLine } from '#cli/render/sanitize';
import { clipText, wrapText } from '#cli/render/text';
import { BLANK_MARK, CURRENT_MARK, type RenderArea, renderFilter, windowLines } from '#cli/render/viewport';
import { fieldInputFromValue } from '#presentation/form-state';
import { type ChoiceRow, type ChoiceStep, hasNoMatches, listChoiceRows } from './field-step';
import { renderEditorLines } from './text-editor';

/** Renders the options. `isDestructive`: the first one runs a destructive action. */
export function renderChoices(step: ChoiceStep, area: RenderArea, isDestructive: boolean): string[] {
  const { width, style } = area;
  const filterLines = [
    ...(step.filter === undefined ? [] : [renderFilter(step.filter, width)]),
    ...(hasNoMatches(step) ? [style.dim(clipText('No matches.', width))] : []),
  ].slice(0, Math.max(0, area.height - 1));
  const height = area.height - filterLines.length;
  const rows = listChoiceRows(step);
  const currentIndex = Math.min(step.rowIndex, Math.max(0, rows.length - 1));
  const currentColor = isDestructive && currentIndex === 0 ? style.bad : style.accent;
  const renderRows = (hasDescription: boolean) =>
    rows.map((row, index) => {
      const color = index === currentIndex ? currentColor : undefined;
      return renderChoiceRow(step, { row, index, color, hasDescription }, { ...area, height });
    });
  const describedBlocks = renderRows(true);
  const blocks = describedBlocks.flat().length <= height ? describedBlocks : renderRows(false);
  return [...filterLines, ...windowLines(blocks, currentIndex, { width, height, style })];
}

interface DisplayedRow {
  row: ChoiceRow;
  index: number;
  /** Set if the row is the current one. */
  color: ((line: string) => string) | undefined;
  /** Show the description even if the row is not the current one. */
  hasDescription: boolean;
}

const NUMBERED_ROWS = 9;
const NUMBER_WIDTH = 3;
/** For the current row; the labels of other rows are cut to one line. */
const MAX_LABEL_LINES = 3;
/** Lines reserved for the counts of hidden rows. */
const MORE_LINES = 2;
const OTHER_PREFIX = 'Other: ';

/** Renders one row: cursor, checkbox, number, label and description. */
function renderChoiceRow(step: ChoiceStep, displayed: DisplayedRow, area: RenderArea): string[] {
  const { row, color = (line: string) => line, hasDescription } = displayed;
  const isCurrent = displayed.color !== undefined;
  const prefix = `${isCurrent ? CURRENT_MARK : BLANK_MARK}${formatCheckbox(step, row)}${formatRowNumber(step, displayed)}`;
  const width = Math.max(area.width - prefix.length, 1);
  if (row.kind === 'other' && step.isEditingOther) return renderOtherInput(step, prefix, { ...area, width });
  const text = formatRowLabel(step, row) + (isDefaultRow(step, row) ? ' (default)' : '');
  const label = isCurrent
    ? wrapText(text, width).slice(0, Math.min(MAX_LABEL_LINES, area.height))
    : [clipText(text, width)];
  const indent = ' '.repeat(prefix.length);
  const lines = label.map((line, index) => color((index === 0 ? prefix : indent) + line));
  const description =
    isCurrent || hasDescription
      ? renderDescription(row, `${indent}${step.filter === undefined ? '' : '  '}`, area)
      : [];
  const descriptionLines = hasDescription ? description.length : Math.max(0, area.height - MORE_LINES - lines.length);
  return [...lines, ...description.slice(0, descriptionLines)];
}

function renderDescription(row: ChoiceRow, first: string, { width, style }: RenderArea): string[] {
  if (row.kind !== 'option' || !row.option.description) return [];
  return wrapText(sanitizeLine(row.option.description), width, { first }).map(style.dim);
}

/** Renders “Other” while its text is edited. */
function renderOtherInput({ other }: ChoiceStep, prefix: string, { width, height, style }: RenderArea): string[] {
  const lines = renderEditorLines(other, width - OTHER_PREFIX.length, Math.min(MAX_LABEL_LINES, height), style);
  const indent = ' '.repeat(prefix.length + OTHER_PREFIX.length);
  return lines.map((line, index) => (index === 0 ? style.accent(prefix + OTHER_PREFIX) : indent) + line);
}

function formatRowNumber({ filter, isYesNo }: ChoiceStep, { index }: DisplayedRow): string {
  if (filter !== undefined || isYesNo) return '';
  return (index < NUMBERED_ROWS ? `${index + 1}.` : '').padEnd(NUMBER_WIDTH);
}

function formatCheckbox({ isMany, picked, isOther }: ChoiceStep, row: ChoiceRow): string {
  if (!isMany) return '';
  const isChecked = row.kind === 'option' ? picked.includes(row.option.label) : isOther;
  return isChecked ? '[x] ' : '[ ] ';
}

function formatRowLabel(step: ChoiceStep, row: ChoiceRow): string {
  if (row.kind === 'option') return sanitizeLine(row.option.label);
  if (row.kind === 'skip') return 'Leave empty';
  const unmatchedFilter = hasNoMatches(step) ? step.filter : undefined;
  const text = sanitizeLine(unmatchedFilter || (step.isOther ? step.other.text : ''));
  return text === '' ? 'Other…' : `${OTHER_PREFIX}${text}`;
}

function isDefaultRow({ field }: ChoiceStep, row: ChoiceRow): boolean {
  return row.kind === 'option' && fieldInputFromValue(field.default).picked.includes(row.option.label);
}
