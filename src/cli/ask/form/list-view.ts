import { safe } from '#cli/text/safe';
import { clip, widthOf } from '#cli/text/wrap';
import { rowBlock } from './row-view';
import { isNothingFound, rowsOf } from './rows';
import type { List } from './step';
import type { Area } from './view';
import { windowOf } from './window';

const SEGMENTS = new Intl.Segmenter();
const LABEL = 'Filter: ';

export function listLines(list: List, area: Area): string[] {
  const { width, style } = area;
  const above = [
    ...(list.filter === undefined ? [] : [filterLine(list.filter, width)]),
    ...(isNothingFound(list) ? [style.dim(clip('Nothing matches.', width))] : []),
  ].slice(0, Math.max(0, area.room - 1));
  const room = area.room - above.length;
  const rows = rowsOf(list);
  const at = Math.min(list.at, Math.max(0, rows.length - 1));
  const drawn = (isFull: boolean) =>
    rows.map((row, index) => rowBlock(list, { row, index, isHere: index === at, isFull }, { ...area, room }));
  const full = drawn(true);
  const blocks = full.flat().length <= room ? full : drawn(false);
  return [...above, ...windowOf(blocks, at, room, width, style)];
}

/** The end of it, where all of it does not fit. */
function filterLine(filter: string, width: number): string {
  const characters = [...SEGMENTS.segment(safe(filter))].map(({ segment }) => segment);
  let shown = '';
  while (
    characters.length > 0 &&
    widthOf(shown) + widthOf(characters.at(-1) ?? '') < width - LABEL.length - 1
  )
    shown = characters.pop() + shown;
  return `${LABEL}${characters.length > 0 ? '…' : ''}${shown}▏`;
}
