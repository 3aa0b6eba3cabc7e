import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** In columns of a terminal: `日` takes two, an accent none. */
export const widthOf: (text: string) => number = stringWidth;

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
  const lines = text.split('\n').flatMap((line) => wrapLine(line, room));
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

/** How far a line is set in is how it was written; the blank where it is broken goes. */
function wrapLine(line: string, room: number): string[] {
  const [blank = ''] = /^ */.exec(line) ?? [];
  const inset = blank.length < room ? blank : '';
  const [begin = '', ...more] = wrapAnsi(line.slice(blank.length), room - inset.length, { hard: true }).split(
    '\n',
  );
  return [begin === '' ? '' : inset + begin, ...more];
}

/** Text in which every blank counts: cut only where the line is full. */
export function cut(text: string, width: number): string[] {
  const lines = wrapAnsi(text, Math.max(width, 1), { hard: true, trim: false, wordWrap: false }).split('\n');
  return lines.map((line) => line.trimEnd());
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
