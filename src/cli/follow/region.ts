import type { Terminal } from '../terminal';
import { widthOf } from '../text/wrap';

/** The end of the screen, which changes; what is printed goes above it and stays. */
export interface Region {
  print(lines: readonly string[]): void;
  show(lines: readonly string[]): void;
  /** Takes it off the screen. */
  clear(): void;
}

const ERASE_AND_UP = '\u001b[2K\u001b[1A';

export async function createRegion({ output, width, height }: Terminal): Promise<Region> {
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(output);
  const room = () => height() - 2;
  let shown: readonly string[] = [];
  /** In a window made narrower a line may take several: those that are too many are not known to log-update. */
  const eraseBroken = () => {
    const extra = shown.reduce((sum, line) => sum + Math.max(0, Math.ceil(widthOf(line) / width()) - 1), 0);
    if (extra > 0) output.write(ERASE_AND_UP.repeat(extra));
  };
  return {
    print(lines) {
      eraseBroken();
      shown = [];
      // More than a screen at once would lose its beginning; without the last line break a blank line would be lost.
      for (let at = 0; at < lines.length; at += room())
        update.persist(`${lines.slice(at, at + room()).join('\n')}\n`);
    },
    show(lines) {
      eraseBroken();
      shown = lines.slice(-room());
      update(shown.join('\n'));
    },
    clear() {
      eraseBroken();
      shown = [];
      update.clear();
      update.done();
    },
  };
}
