import type { Editor } from '#cli/ask/editor';
import { safe } from '#cli/text/safe';
import type { Style } from '#cli/text/style';
import { widthOf } from '#cli/text/wrap';

const SEGMENTS = new Intl.Segmenter();

interface Row {
  text: string;
  width: number;
  /** Where the cursor stands in `text`, and what is under it. */
  cursor?: { from: number; to: number };
}

/** What is being written, as lines of that width, at most so many: those around the cursor. */
export function editorLines({ text, at }: Editor, width: number, room: number, style: Style): string[] {
  const rows = rowsOf(text, at, width);
  const current = rows.findIndex(({ cursor }) => cursor);
  const start = Math.max(0, Math.min(current - Math.floor(room / 2), rows.length - room));
  return rows.slice(start, start + room).map((row) => drawn(row, style));
}

function rowsOf(text: string, at: number, width: number): Row[] {
  const rows: Row[] = [{ text: '', width: 0 }];
  const add = (shown: string, taken: number, isCursor: boolean) => {
    let row = rows.at(-1) as Row;
    if (row.width + taken > width) {
      row = { text: '', width: 0 };
      rows.push(row);
    }
    if (isCursor) row.cursor = { from: row.text.length, to: row.text.length + shown.length };
    row.text += shown;
    row.width += taken;
  };
  for (const { segment, index } of SEGMENTS.segment(text)) {
    const isCursor = index === at;
    if (segment === '\n') {
      if (isCursor) add(' ', 1, true);
      rows.push({ text: '', width: 0 });
    } else {
      const shown = shownAs(segment, width);
      add(shown, columns(shown), isCursor);
    }
  }
  if (at >= text.length) add(' ', 1, true);
  return rows;
}

/** Harmless, and never wider than a whole line. */
function shownAs(segment: string, width: number): string {
  const shown = safe(segment).replaceAll('\n', ' ');
  return columns(shown) > width ? '\ufffd' : shown;
}

function columns(text: string): number {
  return /^[ -~]$/.test(text) ? 1 : widthOf(text);
}

function drawn({ text, cursor }: Row, style: Style): string {
  if (!cursor) return text;
  const { from, to } = cursor;
  return text.slice(0, from) + style.inverse(text.slice(from, to)) + text.slice(to);
}
