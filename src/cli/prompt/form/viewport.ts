import type { TextStyle } from '#cli/render/colors';
import { clipText } from '#cli/render/text';

/** What there is to draw on. */
export interface FormViewport {
  width: number;
  height: number;
  style: TextStyle;
  now: number;
}

/** Part of it. */
export interface RenderArea {
  width: number;
  /** In lines. */
  room: number;
  style: TextStyle;
}

export const CURRENT_MARK = '❯ ';
export const BLANK_MARK = '  ';

/** Each row takes some lines. */
export type LineBlock = readonly string[];

/** The rows around the current one, in so many lines, with how many there are above and below. */
export function windowLines(
  blocks: readonly LineBlock[],
  current: number,
  room: number,
  width: number,
  style: TextStyle,
): string[] {
  const whole = blocks.flat();
  if (whole.length <= room) return whole;
  const { from, to } = findVisibleRange(blocks, current, Math.max(1, room - 2));
  const shown = blocks.slice(from, to).flat();
  const more = (arrow: string, count: number) =>
    count > 0 ? [style.dim(clipText(`  ${arrow} ${count} more`, width))] : [];
  const lines = [...more('↑', from), ...shown, ...more('↓', blocks.length - to)];
  return lines.length <= room ? lines : shown.slice(0, room);
}

function findVisibleRange(blocks: readonly LineBlock[], current: number, room: number): { from: number; to: number } {
  let from = current;
  let to = current + 1;
  let left = room - (blocks[current]?.length ?? 0);
  const fits = (index: number) => (blocks[index]?.length ?? Number.POSITIVE_INFINITY) <= left;
  for (;;) {
    const isBelow = to < blocks.length && fits(to) && (to - current <= current - from || from === 0 || !fits(from - 1));
    if (!isBelow && !(from > 0 && fits(from - 1))) return { from, to };
    const added = isBelow ? to : from - 1;
    left -= blocks[added]?.length ?? 0;
    if (isBelow) to += 1;
    else from -= 1;
  }
}
