/** What was measured on both sides, in the same unit. */
export interface Row {
  what: string;
  unit: string;
  digits: number;
  parley: number;
  bare: number;
}

/** What both sides have in one row, by how it is read from either. */
export function rowsOf<T>(parley: T, bare: T | undefined) {
  return (what: string, unit: string, of: (shown: T) => number, digits = 0): Row => {
    return { what, unit, digits, parley: of(parley), bare: bare ? of(bare) : Number.NaN };
  };
}

export function table(rows: Row[], other = 'bare'): string {
  const head = line('', 'Parley', other, 'ratio');
  return [head, '-'.repeat(head.length), ...rows.map(shownRow)].join('\n');
}

function shownRow(row: Row): string {
  const shown = (value: number) =>
    Number.isFinite(value) ? `${value.toFixed(row.digits)} ${row.unit}`.trim() : '–';
  const ratio = ratioOf(row);
  return line(row.what, shown(row.parley), shown(row.bare), Number.isFinite(ratio) ? ratio.toFixed(2) : '–');
}

export function line(what: string, ...cells: string[]): string {
  return what.padEnd(50) + cells.map((cell) => cell.padStart(12)).join('');
}

/** Said, and no error: machines are noisy. */
export function goal(row: Row, isMet: (ratio: number) => boolean, wanted: string): string {
  return verdict(isMet(ratioOf(row)), `${row.what}: ratio ${ratioOf(row).toFixed(2)}, wanted ${wanted}`);
}

export function verdict(isMet: boolean, what: string): string {
  return `${isMet ? 'goal met' : 'goal missed'}: ${what}`;
}

function ratioOf({ parley, bare }: Row): number {
  return parley / bare;
}

/** The value that this share of the list is not above. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
