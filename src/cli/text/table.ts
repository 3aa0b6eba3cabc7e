import { pad, widthOf, wrap } from './wrap';

const GAP = 2;
const NARROW = 24;

/**
 * Rows in columns, each as wide as it needs to be. The last column has the rest of the line and is cut there; where that is
 * too little, it goes below.
 */
export function table(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  const used = widths.reduce((sum, one) => sum + one + GAP, 0);
  const isNarrow = width - used < NARROW;
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, index) => pad(cell, (widths[index] ?? 0) + GAP));
    const [last = ''] = row.slice(-1);
    if (isNarrow) return [...wrap(row.slice(0, -1).join('  '), width), ...firstLine(`  ${last}`, width)];
    return [cells.join('') + (firstLine(last, width - used)[0] ?? '')];
  });
}

function firstLine(text: string, width: number): string[] {
  const [first = '', ...more] = wrap(text, width - 1);
  return [more.length > 0 ? `${first}…` : first];
}
