import type { Terminal } from '../terminal';
import { widthOf } from '../text/wrap';

/** The last lines of the screen, which change; what is printed goes above them and stays. */
export interface Region {
  draw(lines: readonly string[]): void;
  print(lines: readonly string[]): void;
  /** Takes it off the screen. */
  clear(): void;
}

/** Line by line: some terminals keep what is cleared from the top of the screen in their history. */
const ERASE_LINE_ABOVE = '\x1b[1A\x1b[2K';
/** The terminal shows what is between at once, or ignores both. */
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

/** Nothing in it is wider than the screen, nor all of it higher. */
export function openRegion({ output, width, height }: Pick<Terminal, 'output' | 'width' | 'height'>): Region {
  let drawn: readonly string[] = [];
  let columns = width();

  /** A terminal that has become narrower has broken what was there into more rows than were drawn. */
  const erase = () => {
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width())), 0);
    return `\r${ERASE_LINE_ABOVE.repeat(Math.min(rows, height() - 1))}`;
  };
  const write = (text: string) => void output.write(BEGIN + text + END);
  const ended = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

  return {
    draw(lines) {
      const shown = lines.slice(-(height() - 1));
      if (columns === width() && shown.join('\n') === drawn.join('\n')) return;
      columns = width();
      write(erase() + ended(shown));
      drawn = shown;
    },
    print(lines) {
      write(erase() + ended(lines) + ended(drawn));
    },
    clear() {
      write(erase());
      drawn = [];
    },
  };
}
