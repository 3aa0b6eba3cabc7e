import { displayWidth } from '#cli/render/text';
import type { Terminal } from './terminal';

/** The last lines of the screen, which change; what is printed goes above them and stays. */
export interface LiveRegion {
  draw(lines: readonly string[]): void;
  print(lines: readonly string[]): void;
  /** Others will have written below it: what is drawn next is drawn anew. */
  forget(): void;
  /** Takes it off the screen. */
  clear(): void;
}

/** Line by line: some terminals keep what is cleared from the top of the screen in their history. */
const ERASE_LINE_ABOVE = '\x1b[1A\x1b[2K';
/** The terminal shows what is between at once, or ignores both. */
const BEGIN_SYNC = '\x1b[?2026h';
const END_SYNC = '\x1b[?2026l';

/** Nothing in it is wider than the screen, nor all of it higher. */
export function openLiveRegion({ output, width, height }: Pick<Terminal, 'output' | 'width' | 'height'>): LiveRegion {
  let drawn: readonly string[] = [];
  let columns = width();

  /** A terminal that has become narrower has broken what was there into more rows than were drawn. */
  const rowsOf = (line: string) => Math.max(1, Math.ceil(displayWidth(line) / width()));
  const erase = (lines: readonly string[]) => {
    const rows = lines.reduce((sum, line) => sum + rowsOf(line), 0);
    return `\r${ERASE_LINE_ABOVE.repeat(Math.min(rows, height() - 1))}`;
  };
  const write = (text: string) => void output.write(BEGIN_SYNC + text + END_SYNC);
  const ended = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

  return {
    draw(lines) {
      const shown = lines.slice(-(height() - 1));
      const isResized = columns !== width();
      columns = width();
      // What stays is not touched: between a change of size and word of it, less can go wrong.
      const from = isResized ? 0 : commonPrefixLength(drawn, shown);
      if (from === drawn.length && from === shown.length && !isResized) return;
      write(erase(drawn.slice(from)) + ended(shown.slice(from)));
      drawn = shown;
    },
    print(lines) {
      write(erase(drawn) + ended(lines) + ended(drawn));
    },
    forget() {
      drawn = [];
    },
    clear() {
      write(erase(drawn));
      drawn = [];
    },
  };
}

/** How many of the first lines are the same. */
function commonPrefixLength(some: readonly string[], others: readonly string[]): number {
  const first = some.findIndex((line, index) => line !== others[index]);
  return first === -1 ? some.length : first;
}
