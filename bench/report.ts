import type { Times } from './converse';
import type { Growth, History, Tally } from './measure';
import type { Watching } from './watching';

/** All that was measured on one side. */
export interface Shown {
  tally: Tally;
  history: History;
  growth: Growth;
}

interface Row {
  what: string;
  unit: string;
  digits: number;
  parley: number;
  bare: number;
}

/** The table, and whether the goals are met. Absolute numbers are this machine's; the ratios are Parley's. */
export function report(
  parley: Shown,
  bare: Shown,
  { concurrency, watching }: { concurrency: number; watching: Watching },
): string {
  const row = (what: string, unit: string, of: Of, digits = 0): Row => {
    return { what, unit, digits, parley: of(parley), bare: of(bare) };
  };
  const throughput = row(
    `conversations a second, ${concurrency} at once`,
    '/s',
    ({ tally }) => quantile(tally.throughput, 0.5),
    1,
  );
  const alone = row('answer to resumed, p50, one at a time', 'ms', time('alone', 'resumed', 0.5), 1);
  const rows = [
    throughput,
    row(`answer to resumed, p50, ${concurrency} at once`, 'ms', time('busy', 'resumed', 0.5), 1),
    row(`answer to resumed, p99, ${concurrency} at once`, 'ms', time('busy', 'resumed', 0.99), 1),
    alone,
    row('answer to resumed, p99, one at a time', 'ms', time('alone', 'resumed', 0.99), 1),
    row(`answer request, p50, ${concurrency} at once`, 'ms', time('busy', 'answer', 0.5), 1),
    row(`answer request, p99, ${concurrency} at once`, 'ms', time('busy', 'answer', 0.99), 1),
    row('answer request, p50, one at a time', 'ms', time('alone', 'answer', 0.5), 1),
    row('CPU a conversation, worker process', 'ms', ({ tally }) => tally.workerCpuMs / tally.busy.length, 1),
    row('CPU a conversation, Temporal server', 'ms', ({ tally }) => tally.serverCpuMs / tally.busy.length, 1),
    row('events in history', '', ({ history }) => history.events),
    row('workflow tasks', '', ({ history }) => history.tasks, 1),
    row('bytes of history', 'B', ({ history }) => history.bytes),
    row('worker memory, parked and in its cache', 'KB', ({ growth }) => growth.cached / 1_024),
    row('worker memory, parked beyond its cache', 'KB', ({ growth }) => growth.beyond / 1_024),
  ];
  // Latency one at a time: on a full machine, how long anything takes is only throughput once more.
  const goals = [
    goal(throughput, (ratio) => ratio >= 0.6, 'at least 0.6'),
    goal(alone, (ratio) => ratio <= 1.5, 'at most 1.5'),
  ];
  return [table(rows), '', watched(watching), '', ...goals, lagGoal(watching)].join('\n');
}

/** Following live; beside it what a long poll of the same history takes without Parley. */
function watched({ lags, pollLags, viewers, bytesPerViewer, eventsAdded }: Watching): string {
  const lag = (what: string, share: number): Row => ({
    what,
    unit: 'ms',
    digits: 1,
    parley: quantile(lags, share),
    bare: quantile(pollLags, share),
  });
  const head = line('', 'Parley', 'long poll', 'ratio');
  const rows = [
    lag('event in history to its line, p50', 0.5),
    lag('event in history to its line, p99', 0.99),
  ];
  return [
    head,
    '-'.repeat(head.length),
    ...rows.map(shownRow),
    line(`API memory for each of ${viewers} viewers`, `${(bytesPerViewer / 1_024).toFixed(0)} KB`),
    line('events they added to history', String(eventsAdded)),
  ].join('\n');
}

function lagGoal({ lags }: Watching): string {
  const p50 = quantile(lags, 0.5);
  return `${p50 < 50 ? 'goal met' : 'goal missed'}: event in history to its line, p50: ${p50.toFixed(1)} ms, wanted under 50 ms`;
}

type Of = (shown: Shown) => number;

function time(load: 'alone' | 'busy', what: keyof Times, share: number): Of {
  return ({ tally }) => {
    const times = tally[load].map((conversation) => conversation[what]);
    return quantile(times, share);
  };
}

function table(rows: Row[]): string {
  const head = line('', 'Parley', 'bare', 'ratio');
  return [head, '-'.repeat(head.length), ...rows.map(shownRow)].join('\n');
}

function shownRow(row: Row): string {
  const shown = (value: number) =>
    Number.isFinite(value) ? `${value.toFixed(row.digits)} ${row.unit}`.trim() : '–';
  return line(row.what, shown(row.parley), shown(row.bare), ratioOf(row).toFixed(2));
}

function line(what: string, ...cells: string[]): string {
  return what.padEnd(42) + cells.map((cell) => cell.padStart(12)).join('');
}

function goal(row: Row, isMet: (ratio: number) => boolean, wanted: string): string {
  const verdict = isMet(ratioOf(row)) ? 'goal met' : 'goal missed';
  return `${verdict}: ${row.what}: ratio ${ratioOf(row).toFixed(2)}, wanted ${wanted}`;
}

function ratioOf({ parley, bare }: Row): number {
  return parley / bare;
}

/** The value that this share of the list is not above. */
function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
