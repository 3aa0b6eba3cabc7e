import type { Style } from './style';
import { pad, widthOf, wrap } from './wrap';

export interface Cells {
  head: string[];
  rows: string[][];
  isRight: boolean[];
}

const GAP = '  ';

/** In columns, or where they do not fit, each row as a few lines that say what is what. */
export function tableLines({ head, rows, isRight }: Cells, width: number, style: Style): string[] {
  const widths = head.map((_, index) => Math.max(...[head, ...rows].map((row) => widthOf(row[index] ?? ''))));
  const total = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
  if (total > width) return rowByRow(head, rows, width, style);
  const line = (row: string[]) =>
    widths
      .map((room, index) => (isRight[index] ? padLeft : pad)(row[index] ?? '', room))
      .join(GAP)
      .trimEnd();
  return [
    line(head.map(style.bold)),
    style.dim(widths.map((room) => '─'.repeat(room)).join(GAP)),
    ...rows.map(line),
  ];
}

function padLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}

function rowByRow(head: string[], rows: string[][], width: number, style: Style): string[] {
  return rows.flatMap((row, at) => [
    ...(at > 0 ? [''] : []),
    ...row.flatMap((cell, index) => wrap(`${style.bold(`${head[index] ?? ''}:`)} ${cell}`, width)),
  ]);
}
