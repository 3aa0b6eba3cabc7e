import type { Terminal } from '#cli/tty/terminal';
import type { TextStyle } from './colors';
import { sanitizeLine } from './sanitize';
import { clipText, displayWidth, GRAPHEMES } from './text';

/** The screen area to draw on. */
export interface Viewport {
  width: number;
  height: number;
  style: TextStyle;
  now: number;
}

/** Reads the current screen size, which may change at any time. */
export function readViewport({ width, height, style }: Terminal): Viewport {
  return { width: width(), height: height(), style, now: Date.now() };
}

/** A part of the screen. */
export interface RenderArea {
  width: number;
  /** In lines. */
  height: number;
  style: TextStyle;
}

export const CURRENT_MARK = '❯ ';
export const BLANK_MARK = '  ';

/** The lines of one row. */
export type LineBlock = readonly string[];

/** Limits rows to a height around the current one, and shows the number of hidden rows above and below. */
export function windowLines(
  blocks: readonly LineBlock[],
  current: number,
  height: number,
  width: number,
  style: TextStyle,
): string[] {
  const allLines = blocks.flat();
  if (allLines.length <= height) return allLines;
  const { from, to } = findVisibleRange(blocks, current, Math.max(1, height - 2));
  const visible = blocks.slice(from, to).flat();
  const more = (arrow: string, count: number) =>
    count > 0 ? [style.dim(clipText(`  ${arrow} ${count} more`, width))] : [];
  const lines = [...more('↑', from), ...visible, ...more('↓', blocks.length - to)];
  return lines.length <= height ? lines : visible.slice(0, height);
}

function findVisibleRange(blocks: readonly LineBlock[], current: number, height: number): { from: number; to: number } {
  let from = current;
  let to = current + 1;
  let remaining = height - (blocks[current]?.length ?? 0);
  const fits = (index: number) => (blocks[index]?.length ?? Number.POSITIVE_INFINITY) <= remaining;
  for (;;) {
    const growsDown =
      to < blocks.length && fits(to) && (to - current <= current - from || from === 0 || !fits(from - 1));
    if (!growsDown && !(from > 0 && fits(from - 1))) return { from, to };
    const added = growsDown ? to : from - 1;
    remaining -= blocks[added]?.length ?? 0;
    if (growsDown) to += 1;
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
