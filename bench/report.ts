import type { Times } from './converse';
import type { Flags } from './flags';
import type { History, Tally } from './measure';
import { goal, line, quantile, rowsOf, table, verdict } from './rows';
import type { Watching } from './watching';

/** All that was measured on one side while conversations go by. */
export interface Shown {
  tally: Tally;
  history: History;
}

/** The table, and whether the goals are met. Absolute numbers are this machine's; the ratios are Parley's. */
export function report(
  parley: Shown,
  bare: Shown,
  { concurrency, against, watching }: Pick<Flags, 'concurrency' | 'against'> & { watching: Watching },
): string {
  const row = rowsOf(parley, bare);
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
    row('calls of Temporal a conversation', '', ({ tally }) => tally.calls / tally.busy.length, 1),
    row('events in history', '', ({ history }) => history.events),
    row('workflow tasks', '', ({ history }) => history.tasks, 1),
    row('bytes of history', 'B', ({ history }) => history.bytes),
  ];
  // Latency one at a time: on a full machine, how long anything takes is only throughput once more.
  const goals = [
    goal(throughput, (ratio) => ratio >= 0.6, 'at least 0.6'),
    goal(alone, (ratio) => ratio <= 1.5, 'at most 1.5'),
  ];
  if (against) return table(rows, 'other');
  return [table(rows), '', watched(watching), '', ...goals, lagGoal(watching)].join('\n');
}

/** Following live; beside it what a long poll of the same history takes without Parley. */
function watched({ lags, pollLags, viewers, bytesPerViewer, eventsAdded }: Watching): string {
  const row = rowsOf(lags, pollLags);
  const rows = [0.5, 0.99].map((share) =>
    row(`event in history to its line, p${share * 100}`, 'ms', (values) => quantile(values, share), 1),
  );
  return [
    table(rows, 'long poll'),
    line(`API memory for each of ${viewers} viewers`, `${(bytesPerViewer / 1_024).toFixed(0)} KB`),
    line('events they added to history', String(eventsAdded)),
  ].join('\n');
}

function lagGoal({ lags }: Watching): string {
  const p50 = quantile(lags, 0.5);
  return verdict(p50 < 50, `event in history to its line, p50: ${p50.toFixed(1)} ms, wanted under 50 ms`);
}

type Of = (shown: Shown) => number;

function time(load: 'alone' | 'busy', what: keyof Times, share: number): Of {
  return ({ tally }) => {
    const times = tally[load].map((conversation) => conversation[what]);
    return quantile(times, share);
  };
}
