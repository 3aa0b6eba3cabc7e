import { type RpcCounts, sumRpcCounts } from '../measure';
import {
  createRowBuilder,
  formatGoal,
  formatRatioGoal,
  formatReportLine,
  formatReportTable,
  quantile,
  type ReportRow,
} from '../report-table';
import type { ParkedPlan, ParkedResult } from './parked-benchmark';

/** What it is like while many wait: one table, and the goals. */
export function formatParkedReport(parley: ParkedResult, bare: ParkedResult, plan: ParkedPlan): string {
  return [
    `${plan.parked} waiting`,
    '',
    formatParkedTable(parley, bare, plan),
    '',
    formatRpcLine('Parley', parley),
    formatRpcLine('bare', bare),
    '',
    ...formatShortfalls(parley, bare),
    ...formatGoals(parley, bare),
  ].join('\n');
}

/** Also of one side alone: the other takes a while. */
export function formatParkedTable(parley: ParkedResult, bare: ParkedResult | undefined, plan: ParkedPlan): string {
  const rows = createRowBuilder(parley, bare);
  return formatReportTable(
    [
      parkingRows(rows, plan),
      idleRows(rows),
      answerRows(rows, plan),
      viewerRows(rows, plan),
      deadlineRows(rows, plan),
    ].flat(),
  );
}

type RowBuilder = ReturnType<typeof createRowBuilder<ParkedResult>>;

function parkingRows(row: RowBuilder, { cache }: ParkedPlan): ReportRow[] {
  return [
    row('time to park them', 's', ({ crowd }) => crowd.seconds),
    row('parked a second', '/s', ({ crowd }) => crowd.ids.length / crowd.seconds, 1),
    row(`worker heap, each of ${cache} in its cache`, 'KB', ({ cached }) => cached.held / 1_024, 1),
    row(`worker process, each of ${cache} in its cache`, 'KB', ({ cached }) => cached.rss / 1_024, 1),
    row('worker heap, each beyond its cache', 'B', ({ beyond }) => beyond.held),
    row('worker process, each beyond its cache', 'B', ({ beyond }) => beyond.rss),
    row('API heap, each', 'B', ({ apiBeyond }) => apiBeyond.held),
    row('API process, each', 'B', ({ apiBeyond }) => apiBeyond.rss),
  ];
}

function idleRows(row: RowBuilder): ReportRow[] {
  return [
    row('idle CPU of the worker', '%', ({ idle }) => idle.worker, 2),
    row('idle CPU of the API', '%', ({ idle }) => idle.api, 2),
    row('idle CPU of the Temporal server', '%', ({ idle }) => idle.server, 2),
    row('  the same with nothing parked', '%', ({ quiet }) => quiet.server, 2),
  ];
}

function answerRows(row: RowBuilder, { perSecond }: ParkedPlan): ReportRow[] {
  const at = `${perSecond} a second`;
  return [
    row(`answer to reply, p50, ${at}`, 'ms', ({ steady }) => quantile(steady.replied, 0.5), 1),
    row(`answer to reply, p99, ${at}`, 'ms', ({ steady }) => quantile(steady.replied, 0.99), 1),
    row(`answer to resumed, p50, ${at}`, 'ms', ({ steady }) => quantile(steady.resumed, 0.5), 1),
    row(`answer to resumed, p99, ${at}`, 'ms', ({ steady }) => quantile(steady.resumed, 0.99), 1),
    row('calls of Temporal an answer', '', ({ steady }) => sumRpcCounts(steady.calls) / steady.replied.length, 1),
    row('CPU an answer, worker and API', 'ms', ({ steady }) => steady.workerCpuMs / steady.replied.length, 1),
    row('CPU an answer, Temporal server', 'ms', ({ steady }) => steady.serverCpuMs / steady.replied.length, 1),
  ];
}

function viewerRows(row: RowBuilder, { viewers }: ParkedPlan): ReportRow[] {
  return [
    row(`event to its line, p50, ${viewers} viewers`, 'ms', ({ audience }) => quantile(audience.lags, 0.5), 1),
    row(`event to its line, p99, ${viewers} viewers`, 'ms', ({ audience }) => quantile(audience.lags, 0.99), 1),
    row('API heap, each viewer of one conversation', 'KB', ({ audience }) => audience.held / 1_024, 1),
    row('API process, each viewer of one conversation', 'KB', ({ audience }) => audience.rss / 1_024, 1),
  ];
}

function deadlineRows(row: RowBuilder, { waveS }: ParkedPlan): ReportRow[] {
  return [
    row(`deadlines that fell within ${waveS} s`, '', ({ drained }) => drained.conversations),
    row('  with one outcome: nobody answered', '', ({ drained }) => drained.right),
    row('  from the last of them to the last end', 's', ({ drained }) => drained.seconds, 1),
    row('  ended a second', '/s', ({ drained }) => drained.perSecond, 1),
    row('  events in the history of each', '', ({ drained }) => drained.events, 1),
  ];
}

/** Which calls an answer takes, from its request to the end of the conversation. */
function formatRpcLine(name: string, { steady }: ParkedResult): string {
  const each = (calls: RpcCounts) =>
    [...calls]
      .map(([call, count]) => [call, count / steady.replied.length] as const)
      .filter(([, count]) => count >= 0.05)
      .sort((a, b) => b[1] - a[1])
      .map(([call, count]) => `${call} ${count.toFixed(1)}`);
  return `${name}'s calls an answer: ${each(steady.calls).join(', ') || 'not counted here'}`;
}

function formatShortfalls(...sides: ParkedResult[]): string[] {
  return sides
    .filter(({ crowd, wanted }) => crowd.ids.length < wanted)
    .map(({ crowd, wanted }) =>
      formatReportLine(`Only ${crowd.ids.length} of ${wanted} were parked before the deadlines: the machine was busy.`),
    );
}

function formatGoals(parley: ParkedResult, bare: ParkedResult): string[] {
  const { beyond, idle } = parley;
  const cpu = idle.worker + idle.api;
  const resumed = createRowBuilder(parley, bare)('answer to resumed, p50, while they wait', 'ms', ({ steady }) =>
    quantile(steady.resumed, 0.5),
  );
  return [
    formatGoal(
      beyond.held < 1_024,
      `worker heap beyond its cache: ${beyond.held.toFixed(0)} B each, wanted under 1 KB`,
    ),
    formatGoal(
      beyond.rss < 1_024,
      `worker process beyond its cache: ${beyond.rss.toFixed(0)} B each, wanted under 1 KB`,
    ),
    formatGoal(cpu < 2, `idle CPU of worker and API together: ${cpu.toFixed(2)} % of a core, wanted under 2 %`),
    formatRatioGoal(resumed, (ratio) => ratio <= 1.5, 'at most 1.5'),
  ];
}
