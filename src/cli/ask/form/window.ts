import type { Style } from '#cli/text/style';
import { clip } from '#cli/text/wrap';

/** Each row takes some lines. */
export type Block = readonly string[];

/** The rows around the current one, in so many lines, with how many there are above and below. */
export function windowOf(
  blocks: readonly Block[],
  current: number,
  room: number,
  width: number,
  style: Style,
): string[] {
  const whole = blocks.flat();
  if (whole.length <= room) return whole;
  const { from, to } = around(blocks, current, Math.max(1, room - 2));
  const shown = blocks.slice(from, to).flat();
  const more = (arrow: string, count: number) =>
    count > 0 ? [style.dim(clip(`  ${arrow} ${count} more`, width))] : [];
  const lines = [...more('↑', from), ...shown, ...more('↓', blocks.length - to)];
  return lines.length <= room ? lines : shown.slice(0, room);
}

function around(blocks: readonly Block[], current: number, room: number): { from: number; to: number } {
  let from = current;
  let to = current + 1;
  let left = room - (blocks[current]?.length ?? 0);
  const fits = (index: number) => (blocks[index]?.length ?? Number.POSITIVE_INFINITY) <= left;
  for (;;) {
    const isBelow =
      to < blocks.length && fits(to) && (to - current <= current - from || from === 0 || !fits(from - 1));
    if (!isBelow && !(from > 0 && fits(from - 1))) return { from, to };
    const added = isBelow ? to : from - 1;
    left -= blocks[added]?.length ?? 0;
    if (isBelow) to += 1;
    else from -= 1;
  }
}
