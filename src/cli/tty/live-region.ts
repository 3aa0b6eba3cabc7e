import { displayWidth } from '#cli/render/text';
import type { Terminal } from './terminal';

/** The last lines of the screen, which are redrawn; printed lines go above them and stay. */
export interface LiveRegion {
  draw(lines: readonly string[]): void;
  print(lines: readonly string[]): void;
  /** Forgets what was drawn, because others have written below it: the next draw starts afresh. */
  reset(): void;
  /** Removes it from the screen. */
  clear(): void;
}

/** Line by line: some terminals keep what is cleared from the top of the screen in their history. */
const ERASE_LINE_ABOVE = '\x1b[1A\x1b[2K';
/** The terminal shows what is between at once, or ignores both. */
const BEGIN_SYNC = '\x1b[?2026h';
const END_SYNC = '\x1b[?2026l';

/** Opens a live region. Its lines must not be wider, nor all of them higher, than the screen. */
export function openLiveRegion({ output, width, height }: Pick<Terminal, 'output' | 'width' | 'height'>): LiveRegion {
  let drawn: readonly string[] = [];
  let columns = width();

  /** How many rows a drawn line takes now: a narrower terminal has wrapped it. */
  const rowCount = (line: string) => Math.max(1, Math.ceil(displayWidth(line) / width()));
  const erase = (lines: readonly string[]) => {
    const rows = lines.reduce((sum, line) => sum + rowCount(line), 0);
    return `\r${ERASE_LINE_ABOVE.repeat(Math.min(rows, height() - 1))}`;
  };
  const write = (text: string) => void output.write(BEGIN_SYNC + text + END_SYNC);
  const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

  return {
    draw(lines) {
      const visible = lines.slice(-(height() - 1));
      const isResized = columns !== width();
      columns = width();
      // Unchanged lines are not redrawn: less can go wrong if the terminal was resized but has not said so yet.
      const unchanged = isResized ? 0 : commonPrefixLength(drawn, visible);
      if (unchanged === drawn.length && unchanged === visible.length && !isResized) return;
      write(erase(drawn.slice(unchanged)) + joinLines(visible.slice(unchanged)));
      drawn = visible;
    },
    print(lines) {
      write(erase(drawn) + joinLines(lines) + joinLines(drawn));
    },
    reset() {
      drawn = [];
    },
    clear() {
      write(erase(drawn));
      drawn = [];
    },
  };
}

/** How many of the first lines are the same. */
function commonPrefixLength(previous: readonly string[], next: readonly string[]): number {
  const firstDifference = previous.findIndex((line, index) => line !== next[index]);
  return firstDifference === -1 ? previous.length : firstDifference;
}
