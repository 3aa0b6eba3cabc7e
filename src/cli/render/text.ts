import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { Terminal } from '#cli/tty/terminal';

/** Splits text into user-perceived characters. */
export const GRAPHEMES = new Intl.Segmenter();

/** Returns the width in terminal columns: `日` takes two, a combining accent none. */
export const displayWidth: (text: string) => number = stringWidth;

interface WrapIndent {
  /** Prefix of the first line. */
  first?: string;
  /** Prefix of the other lines; by default, spaces as wide as `first`. */
  rest?: string;
}

/** Wraps text, with or without color codes. Breaks words only if they do not fit on a line. */
export function wrapText(
  text: string,
  width: number,
  { first = '', rest = ' '.repeat(displayWidth(first)) }: WrapIndent = {},
): string[] {
  const available = Math.max(width - Math.max(displayWidth(first), displayWidth(rest)), 1);
  const lines = text.split('\n').flatMap((line) => wrapLine(line, available));
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

/** Wraps one line. Keeps its indentation and drops the space at each break. */
function wrapLine(line: string, available: number): string[] {
  const [leading = ''] = /^ */.exec(line) ?? [];
  const indent = leading.length < available ? leading : '';
  const [first = '', ...more] = wrapAnsi(line.slice(leading.length), available - indent.length, { hard: true }).split(
    '\n',
  );
  return [first === '' ? '' : indent + first, ...more];
}

/** Wraps text in which every space counts, only where a line is full. */
export function hardWrapText(text: string, width: number): string[] {
  const lines = wrapAnsi(text, Math.max(width, 1), { hard: true, trim: false, wordWrap: false }).split('\n');
  return lines.map((line) => line.trimEnd());
}

const ELLIPSIS = '…';

/** Truncates a line with an ellipsis if it does not fit. */
export function clipText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width <= 1 ? ELLIPSIS : hardWrapText(text, width - 1)[0] + ELLIPSIS;
}

/** Truncates to the first lines and appends an ellipsis. */
export function truncateLines(lines: readonly string[], maxLines: number, width: number): string[] {
  if (lines.length <= maxLines) return [...lines];
  return [...lines.slice(0, maxLines - 1), clipText(`${lines[maxLines - 1] ?? ''}${' '.repeat(width)}`, width)];
}

/** Pads text with spaces on the right. */
export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

const COLUMN_GAP = 2;
const NARROW_COLUMN = 24;

/**
 * Lays out rows in columns, each as wide as its content. The last column gets the rest of the line and is truncated; if
 * that is too narrow, it goes on the next line.
 */
export function layoutColumns(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const used = widths.reduce((sum, columnWidth) => sum + columnWidth + COLUMN_GAP, 0);
  const isNarrow = width - used < NARROW_COLUMN;
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1);
    const last = row.at(-1) ?? '';
    if (isNarrow) return [...wrapText(cells.join('  '), width), clipText(`  ${last}`, width - 1)];
    const padded = cells.map((cell, index) => padToWidth(cell, (widths[index] ?? 0) + COLUMN_GAP));
    return [padded.join('') + clipText(last, width - used - 1)];
  });
}

/** Normalizes text for search: ignores case and accents. */
export function foldCase(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Wraps a line for a screen only, not for a pipe or file. */
export function wrapIfInteractive({ isInteractive, width }: Terminal, line: string): string[] {
  return isInteractive ? wrapText(line, width()) : [line];
}
