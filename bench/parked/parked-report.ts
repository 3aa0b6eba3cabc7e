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

/** Formats the results for many parked conversations: one table, and the goals. */
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

/** Formats the table; `bare` may be missing, to show the first subject's results early. */
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
    row('time to park them', 's', ({ population }) => population.seconds),
    row('parked per second', '/s', ({ population }) => population.ids.length / population.seconds, 1),
    row(`worker heap per conversation, ${cache} cached`, 'KB', ({ cached }) => cached.heapBytes / 1_024, 1),
    row(`worker process per conversation, ${cache} cached`, 'KB', ({ cached }) => cached.rssBytes / 1_024, 1),
    row('worker heap per uncached conversation', 'B', ({ uncached }) => uncached.heapBytes),
    row('worker process per uncached conversation', 'B', ({ uncached }) => uncached.rssBytes),
    row('API heap per conversation', 'B', ({ apiGrowth }) => apiGrowth.heapBytes),
    row('API process per conversation', 'B', ({ apiGrowth }) => apiGrowth.rssBytes),
  ];
}

function idleRows(row: RowBuilder): ReportRow[] {
  return [
    row('idle CPU of the worker', '%', ({ idle }) => idle.worker, 2),
    row('idle CPU of the API', '%', ({ idle }) => idle.api, 2),
    row('idle CPU of the Temporal server', '%', ({ idle }) => idle.server, 2),
    row('  the same with nothing parked', '%', ({ baseline }) => baseline.server, 2),
  ];
}

function answerRows(row: RowBuilder, { perSecond }: ParkedPlan): ReportRow[] {
  const at = `${perSecond} per second`;
  return [
    row(`answer to reply, p50, ${at}`, 'ms', ({ steady }) => quantile(steady.repliedMs, 0.5), 1),
    row(`answer to reply, p99, ${at}`, 'ms', ({ steady }) => quantile(steady.repliedMs, 0.99), 1),
    row(`answer to resumed, p50, ${at}`, 'ms', ({ steady }) => quantile(steady.resumedMs, 0.5), 1),
    row(`answer to resumed, p99, ${at}`, 'ms', ({ steady }) => quantile(steady.resumedMs, 0.99), 1),
    row('Temporal calls per answer', '', ({ steady }) => sumRpcCounts(steady.rpcCounts) / steady.repliedMs.length, 1),
    row('CPU per answer, worker and API', 'ms', ({ steady }) => steady.workerCpuMs / steady.repliedMs.length, 1),
    row('CPU per answer, Temporal server', 'ms', ({ steady }) => steady.serverCpuMs / steady.repliedMs.length, 1),
  ];
}

function viewerRows(row: RowBuilder, { viewers }: ParkedPlan): ReportRow[] {
  return [
    row(`event to viewer, p50, ${viewers} viewers`, 'ms', ({ viewers: stats }) => quantile(stats.lags, 0.5), 1),
    row(`event to viewer, p99, ${viewers} viewers`, 'ms', ({ viewers: stats }) => quantile(stats.lags, 0.99), 1),
    row('API heap per viewer of one conversation', 'KB', ({ viewers: stats }) => stats.heapBytes / 1_024, 1),
    row('API process per viewer of one conversation', 'KB', ({ viewers: stats }) => stats.rssBytes / 1_024, 1),
  ];
}

function deadlineRows(row: RowBuilder, { deadlineWindowS }: ParkedPlan): ReportRow[] {
  return [
    row(`deadlines within ${deadlineWindowS} s`, '', ({ drain }) => drain.conversations),
    row('  with the one expected outcome: timed out', '', ({ drain }) => drain.correct),
    row('  last deadline to last end', 's', ({ drain }) => drain.seconds, 1),
    row('  ended per second', '/s', ({ drain }) => drain.perSecond, 1),
    row('  history events per conversation', '', ({ drain }) => drain.events, 1),
  ];
}

/** Lists the RPCs per answer, from its request to the end of the conversation. */
function formatRpcLine(name: string, { steady }: ParkedResult): string {
  const each = (calls: RpcCounts) =>
    [...calls]
      .map(([call, count]) => [call, count / steady.repliedMs.length] as const)
      .filter(([, count]) => count >= 0.05)
      .sort((a, b) => b[1] - a[1])
      .map(([call, count]) => `${call} ${count.toFixed(1)}`);
  return `${name}'s calls per answer: ${each(steady.rpcCounts).join(', ') || 'not counted'}`;
}

function formatShortfalls(...sides: ParkedResult[]): string[] {
  return sides
    .filter(({ population, wanted }) => population.ids.length < wanted)
    .map(({ population, wanted }) =>
      formatReportLine(
        `Only ${population.ids.length} of ${wanted} were parked before the deadlines: the machine is too busy.`,
      ),
    );
}

function formatGoals(parley: ParkedResult, bare: ParkedResult): string[] {
  const { uncached, idle } = parley;
  const cpu = idle.worker + idle.api;
  const resumed = createRowBuilder(parley, bare)('answer to resumed, p50, while they wait', 'ms', ({ steady }) =>
    quantile(steady.resumedMs, 0.5),
  );
  return [
    formatGoal(
      uncached.heapBytes < 1_024,
      `worker heap per uncached conversation: ${uncached.heapBytes.toFixed(0)} B, goal under 1 KB`,
    ),
    formatGoal(
      uncached.rssBytes < 1_024,
      `worker process per uncached conversation: ${uncached.rssBytes.toFixed(0)} B, goal under 1 KB`,
    ),
    formatGoal(cpu < 2, `idle CPU of worker and API together: ${cpu.toFixed(2)} % of a core, goal under 2 %`),
    formatRatioGoal(resumed, (ratio) => ratio <= 1.5, 'at most 1.5'),
  ];
}
