import type { Terminal } from '../terminal';
import { widthOf } from '../text/wrap';

/** The last lines of the screen, drawn again and again. */
export interface Region {
  draw(lines: readonly string[]): void;
  clear(): void;
}

const UP = (lines: number) => (lines > 0 ? `\x1b[${lines}A` : '');
const ERASE_BELOW = '\r\x1b[J';

export async function openRegion({ output }: Terminal): Promise<Region> {
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(output, { showCursor: true });
  let drawn: readonly string[] = [];
  let columns = output.columns;

  /** A terminal that has become narrower has broken what was there into more lines than were drawn. */
  const forget = () => {
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / output.columns)), 0);
    output.write(UP(Math.min(rows, output.rows - 1)) + ERASE_BELOW);
    update.done();
    drawn = [];
  };
  return {
    draw(lines) {
      if (output.columns !== columns) forget();
      // What it patches when there are more lines, or fewer, is the wrong ones.
      else if (drawn.length !== lines.length) update.clear();
      columns = output.columns;
      update(lines.join('\n'));
      drawn = lines;
    },
    clear() {
      if (output.columns !== columns) forget();
      else update.clear();
    },
  };
}
