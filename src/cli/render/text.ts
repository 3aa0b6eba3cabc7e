import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { Terminal } from '#cli/tty/terminal';

/** Splits text into what a reader sees as characters. */
export const GRAPHEMES = new Intl.Segmenter();

/** In columns of a terminal: `日` takes two, an accent none. */
export const displayWidth: (text: string) => number = stringWidth;

interface WrapIndent {
  /** Before the first line. */
  first?: string;
  /** Before the other lines; by default blanks as wide as `first`. */
  rest?: string;
}

/** Text, with or without colour, as lines that fit. Words stay whole where they fit on a line. */
export function wrapText(
  text: string,
  width: number,
  { first = '', rest = ' '.repeat(displayWidth(first)) }: WrapIndent = {},
): string[] {
  const available = Math.max(width - Math.max(displayWidth(first), displayWidth(rest)), 1);
  const lines = text.split('\n').flatMap((line) => wrapLine(line, available));
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

/** Keeps the indentation of a line, and drops the blank at which it is wrapped. */
function wrapLine(line: string, available: number): string[] {
  const [leading = ''] = /^ */.exec(line) ?? [];
  const indent = leading.length < available ? leading : '';
  const [first = '', ...more] = wrapAnsi(line.slice(leading.length), available - indent.length, { hard: true }).split(
    '\n',
  );
  return [first === '' ? '' : indent + first, ...more];
}

/** Text in which every blank counts: cut only where the line is full. */
export function hardWrapText(text: string, width: number): string[] {
  const lines = wrapAnsi(text, Math.max(width, 1), { hard: true, trim: false, wordWrap: false }).split('\n');
  return lines.map((line) => line.trimEnd());
}

const ELLIPSIS = '…';

/** The beginning of it, where all of it does not fit. For text without colour. */
export function clipText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let clipped = '';
  let used = displayWidth(ELLIPSIS);
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    clipped += segment;
  }
  return clipped.trimEnd() + ELLIPSIS;
}

/** With room to the right, so that what follows stands in a column. */
export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

const COLUMN_GAP = 2;
const NARROW_COLUMN = 24;

/**
 * Rows in columns, each as wide as it needs to be. The last column has the rest of the line and is cut there; where that is
 * too little, it goes below.
 */
export function layoutColumns(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const used = widths.reduce((sum, columnWidth) => sum + columnWidth + COLUMN_GAP, 0);
  const isNarrow = width - used < NARROW_COLUMN;
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, index) => padToWidth(cell, (widths[index] ?? 0) + COLUMN_GAP));
    const [last = ''] = row.slice(-1);
    if (isNarrow) return [...wrapText(row.slice(0, -1).join('  '), width), ...firstLine(`  ${last}`, width)];
    return [cells.join('') + (firstLine(last, width - used)[0] ?? '')];
  });
}

function firstLine(text: string, width: number): string[] {
  const [first = '', ...more] = wrapText(text, width - 1);
  return [more.length > 0 ? `${first}…` : first];
}

/** As people look for it: capitals and accents aside. */
export function foldCase(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Broken for a screen, and for nothing else. */
export function wrapIfInteractive({ isInteractive, width }: Terminal, line: string): string[] {
  return isInteractive ? wrapText(line, width()) : [line];
}
