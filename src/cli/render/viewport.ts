import type { Terminal } from '#cli/tty/terminal';
import type { TextStyle } from './colors';
import { sanitizeLine } from './sanitize';
import { clipText, displayWidth, GRAPHEMES } from './text';

/** A part of the screen. */
export interface RenderArea {
  width: number;
  /** In lines. */
  height: number;
  style: TextStyle;
}

/** The screen to draw on. */
export interface Viewport extends RenderArea {
  now: number;
}

/** Reads the current screen size, which may change at any time. */
export function readViewport({ width, height, style }: Terminal): Viewport {
  return { width: width(), height: height(), style, now: Date.now() };
}

export const CURRENT_MARK = '❯ ';
export const BLANK_MARK = '  ';

/** Limits rows to a height around the current one, and shows the number of hidden rows above and below. */
export function windowLines(rows: string[][], current: number, { width, height, style }: RenderArea): string[] {
  const allLines = rows.flat();
  if (allLines.length <= height) return allLines;
  const { from, to } = findVisibleRange(rows, current, Math.max(1, height - 2));
  const visible = rows.slice(from, to).flat();
  const more = (arrow: string, count: number) =>
    count > 0 ? [style.dim(clipText(`  ${arrow} ${count} more`, width))] : [];
  const lines = [...more('↑', from), ...visible, ...more('↓', rows.length - to)];
  return lines.length <= height ? lines : visible.slice(0, height);
}

/** Grows a range around the current row, evenly in both directions, as long as it fits. */
function findVisibleRange(rows: string[][], current: number, height: number): { from: number; to: number } {
  let [from, to] = [current, current + 1];
  const fits = (start: number, end: number) =>
    start >= 0 && end <= rows.length && rows.slice(start, end).flat().length <= height;
  for (;;) {
    const canGrowUp = fits(from - 1, to);
    const canGrowDown = fits(from, to + 1);
    if (!canGrowUp && !canGrowDown) return { from, to };
    if (canGrowDown && (to - current <= current - from || !canGrowUp)) to += 1;
    else from -= 1;
  }
}

const FILTER_LABEL = 'Filter: ';

/** Renders the filter of a list, showing its end if it does not fit. */
export function renderFilter(filter: string, width: number): string {
  const room = width - FILTER_LABEL.length - 2;
  const text = sanitizeLine(filter);
  const end = [...GRAPHEMES.segment(text)].slice(-room).map(({ segment }) => segment);
  while (displayWidth(end.join('')) > room) end.shift();
  const shown = end.join('');
  return `${FILTER_LABEL}${shown === text ? '' : '…'}${shown}▏`;
}
