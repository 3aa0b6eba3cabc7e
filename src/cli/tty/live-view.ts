import { displayWidth } from '#cli/render/text';
import { readViewport, type Viewport } from '#cli/render/viewport';
import { enterRawMode, type RawModeHandlers } from './keyboard';
import type { Terminal } from './terminal';

/** The last lines of the screen, redrawn on every tick and when the window changes. */
export interface LiveView {
  redraw(): void;
  /** Prints lines above the view, where they stay. */
  print(lines: readonly string[]): void;
  /** Removes the view and restores the terminal. */
  close(): void;
}

export interface LiveViewOptions extends Pick<RawModeHandlers, 'onKey' | 'onEnd'> {
  /** Returns lines that fit the width of the screen, and all of them its height. */
  render(viewport: Viewport): string[];
  tickMs?: number;
}

const DEFAULT_TICK_MS = 1_000;

/** Draws the last lines of the screen and reads keys until closed. */
export function openLiveView(
  terminal: Terminal,
  { render, onKey, onEnd, tickMs = DEFAULT_TICK_MS }: LiveViewOptions,
): LiveView {
  const region = openLiveRegion(terminal);
  const redraw = () => region.draw(render(readViewport(terminal)));
  const restoreTerminal = enterRawMode(terminal, {
    onKey,
    onEnd,
    onSuspend: region.reset,
    onResume: redraw,
    onTerminate: region.clear,
  });
  const timer = setInterval(redraw, tickMs);
  terminal.output.on('resize', redraw);
  redraw();
  return {
    redraw,
    print(lines) {
      region.print(lines);
      redraw();
    },
    close() {
      clearInterval(timer);
      terminal.output.off('resize', redraw);
      region.clear();
      restoreTerminal();
    },
  };
}

/**
 * Erases line by line, because some terminals move what is cleared from the top of the screen into their scrollback.
 */
const ERASE_LINE_ABOVE = '\x1b[1A\x1b[2K';
/** Terminals show the output between these markers at once, or ignore both. */
const BEGIN_SYNC = '\x1b[?2026h';
const END_SYNC = '\x1b[?2026l';

function openLiveRegion({ output, width, height }: Terminal) {
  let drawn: readonly string[] = [];
  let columns = width();

  /** Returns the rows that a drawn line now takes, because a narrower terminal has wrapped it. */
  const rowCount = (line: string) => Math.max(1, Math.ceil(displayWidth(line) / width()));
  const erase = (lines: readonly string[]) => {
    const rows = lines.reduce((sum, line) => sum + rowCount(line), 0);
    return `\r${ERASE_LINE_ABOVE.repeat(Math.min(rows, height() - 1))}`;
  };
  const write = (text: string) => void output.write(BEGIN_SYNC + text + END_SYNC);
  const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

  return {
    draw(lines: readonly string[]) {
      const visible = lines.slice(-(height() - 1));
      const isResized = columns !== width();
      columns = width();
      // Unchanged lines are not redrawn, to limit damage if the terminal was resized but has not reported it yet.
      const unchanged = isResized ? 0 : commonPrefixLength(drawn, visible);
      if (unchanged === drawn.length && unchanged === visible.length && !isResized) return;
      write(erase(drawn.slice(unchanged)) + joinLines(visible.slice(unchanged)));
      drawn = visible;
    },
    print(lines: readonly string[]) {
      write(erase(drawn) + joinLines(lines) + joinLines(drawn));
    },
    /** Forgets what was drawn, because other output was written below it. The next draw starts fresh. */
    reset() {
      drawn = [];
    },
    clear() {
      write(erase(drawn));
      drawn = [];
    },
  };
}

/** Returns how many leading lines are equal. */
function commonPrefixLength(previous: readonly string[], next: readonly string[]): number {
  const firstDifference = previous.findIndex((line, index) => line !== next[index]);
  return firstDifference === -1 ? previous.length : firstDifference;
}
