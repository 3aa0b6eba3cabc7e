import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** In columns of a terminal: `日` takes two, an accent none. */
export const widthOf: (text: string) => number = stringWidth;

/** Stands before each line that was one before; the colour that it is in may stand before that. */
const OWN = '\0';
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them
const START = /^((?:\x1b\[[\d;]*m)*)(?:\0| +)/;

interface Indent {
  /** Before the first line. */
  first?: string;
  /** Before the others; as much room as `first` takes, unless said. */
  rest?: string;
}

/** Text, with or without colour, as lines that fit. Words stay whole where they fit on a line. */
export function wrap(
  text: string,
  width: number,
  { first = '', rest = ' '.repeat(widthOf(first)) }: Indent = {},
): string[] {
  const room = Math.max(width - Math.max(widthOf(first), widthOf(rest)), 1);
  const marked = OWN + text.replaceAll('\n', `\n${OWN}`);
  const lines = wrapAnsi(marked, room, { hard: true, trim: false }).split('\n');
  // The space at which a line was broken belongs to neither.
  return lines.map((line, index) => (index === 0 ? first : rest) + line.replace(START, '$1').trimEnd());
}

/** Broken wherever the line is full, and nothing left out: for what has to be shown exactly. */
export function chop(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(width, 1), { hard: true, wordWrap: false, trim: false }).split('\n');
}

const ELLIPSIS = '…';

/** The beginning of it, where all of it does not fit. For text without colour. */
export function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let clipped = '';
  let used = widthOf(ELLIPSIS);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    clipped += segment;
  }
  return clipped.trimEnd() + ELLIPSIS;
}

/** With room to the right, so that what follows stands in a column. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
