/** A measurement of both subjects in one unit. */
export interface ReportRow {
  what: string;
  unit: string;
  digits: number;
  parley: number;
  bare: number;
}

/** Creates a function that reads a value from both results into one row. */
export function createRowBuilder<T>(parley: T, bare: T | undefined) {
  return (what: string, unit: string, readValue: (result: T) => number, digits = 0): ReportRow => {
    return { what, unit, digits, parley: readValue(parley), bare: bare ? readValue(bare) : Number.NaN };
  };
}

export function formatReportTable(rows: ReportRow[], other = 'bare'): string {
  const head = formatReportLine('', 'Parley', other, 'ratio');
  return [head, '-'.repeat(head.length), ...rows.map(formatRow)].join('\n');
}

function formatRow(row: ReportRow): string {
  const formatValue = (value: number) =>
    Number.isFinite(value) ? `${value.toFixed(row.digits)} ${row.unit}`.trim() : '–';
  const ratio = computeRatio(row);
  return formatReportLine(
    row.what,
    formatValue(row.parley),
    formatValue(row.bare),
    Number.isFinite(ratio) ? ratio.toFixed(2) : '–',
  );
}

export function formatReportLine(what: string, ...cells: string[]): string {
  return what.padEnd(50) + cells.map((cell) => cell.padStart(12)).join('');
}

/** Formats a goal for a ratio. A missed goal is no error, as machines are noisy. */
export function formatRatioGoal(row: ReportRow, isMet: (ratio: number) => boolean, wanted: string): string {
  return formatGoal(isMet(computeRatio(row)), `${row.what}: ratio ${computeRatio(row).toFixed(2)}, goal ${wanted}`);
}

export function formatGoal(isMet: boolean, what: string): string {
  return `${isMet ? 'goal met' : 'goal missed'}: ${what}`;
}

function computeRatio({ parley, bare }: ReportRow): number {
  return parley / bare;
}

/** Returns the smallest value that at least this share of the values does not exceed. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
