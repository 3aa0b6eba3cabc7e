import type { ShutdownHooks } from '#infra/lifecycle';
import { type ConversationTimes, runBenchConversation, runConcurrently } from './driver';
import { measureEventLags, measureViewerCost, type ViewerStats } from './live-viewers';
import {
  createConversationIds,
  createThroughputTally,
  type HistorySize,
  measureTurn,
  readHistorySize,
  type ThroughputTally,
} from './measure';
import type { BenchOptions } from './options';
import {
  createRowBuilder,
  formatGoal,
  formatRatioGoal,
  formatReportLine,
  formatReportTable,
  quantile,
} from './report-table';
import { type BenchContext, type RunningSubject, type SubjectPair, startSubjectPair } from './setup';

const TURN_SIZE = 50;
const WATCHED_CONVERSATIONS = 100;
const VIEWED_CONVERSATIONS = 20;

/** Benchmarks conversations that run to their end: one at a time, many at once, and with viewers. */
export async function benchmarkThroughput(
  context: BenchContext,
  options: BenchOptions,
  cleanup: ShutdownHooks,
): Promise<string> {
  const subjects = await startSubjectPair(context, options, cleanup);
  const tallies: SubjectPair<ThroughputTally> = [createThroughputTally(), createThroughputTally()];
  await warmUp(context, subjects, options);
  await measureOneAtATime(context, subjects, tallies, options);
  await measureConcurrent(context, subjects, tallies, options);
  const histories = await forEachSubject((index) => meanHistorySize(subjects[index]));
  const viewerStats = options.against ? NO_VIEWER_STATS : await measureViewers(context, subjects[0], options);
  await Promise.all(subjects.map(({ child }) => child.stop()));
  const result = (index: 0 | 1) => ({ tally: tallies[index], history: histories[index] });
  return formatThroughputReport(result(0), result(1), { ...options, viewerStats });
}

const NO_VIEWER_STATS = { lags: [], pollLags: [], viewers: 0, bytesPerViewer: Number.NaN, eventsAdded: 0 };

async function measureViewers(
  context: BenchContext,
  parley: RunningSubject,
  { viewers, concurrency }: BenchOptions,
): Promise<ViewerStats> {
  console.log(
    `Following ${WATCHED_CONVERSATIONS} conversations live, then ${viewers} viewers on ${VIEWED_CONVERSATIONS}.`,
  );
  const lags = await measureEventLags(context, parley, WATCHED_CONVERSATIONS);
  return {
    ...lags,
    ...(await measureViewerCost(context, parley, {
      viewers,
      conversations: VIEWED_CONVERSATIONS,
      concurrency,
    })),
  };
}

async function warmUp(
  context: BenchContext,
  subjects: SubjectPair<RunningSubject>,
  { concurrency }: BenchOptions,
): Promise<void> {
  console.log('Warming up.');
  for (const { subject } of subjects)
    await runConcurrently(createConversationIds(`${subject.name}-warm-up`, 2 * TURN_SIZE), concurrency, (id) =>
      runBenchConversation(context, subject, id),
    );
}

/** Measures latency without other load. */
async function measureOneAtATime(
  context: BenchContext,
  subjects: SubjectPair<RunningSubject>,
  tallies: SubjectPair<ThroughputTally>,
  { sequentialConversations }: BenchOptions,
): Promise<void> {
  console.log(`${sequentialConversations} conversations each, one at a time.`);
  for (let n = 1; n <= sequentialConversations; n += 1) {
    await forEachSubject(async (index) => {
      const { subject } = subjects[index];
      tallies[index].sequential.push(await runBenchConversation(context, subject, `${subject.name}-alone-${n}`));
    });
  }
}

async function measureConcurrent(
  context: BenchContext,
  subjects: SubjectPair<RunningSubject>,
  tallies: SubjectPair<ThroughputTally>,
  { conversations, concurrency }: BenchOptions,
): Promise<void> {
  console.log(`${conversations} conversations each, ${concurrency} at once, alternating.`);
  const turn = async (index: 0 | 1, number: number, count: number) => {
    const ids = createConversationIds(`${subjects[index].subject.name}-turn-${number}`, count);
    await measureTurn(context, subjects[index], tallies[index], ids, concurrency);
  };
  for (let left = conversations, number = 1; left > 0; left -= TURN_SIZE, number += 1) {
    const count = Math.min(left, TURN_SIZE);
    const first = number % 2 === 1 ? 0 : 1;
    await turn(first, number, count);
    await turn(first === 0 ? 1 : 0, number, count);
  }
}

async function meanHistorySize({ subject }: RunningSubject): Promise<HistorySize> {
  const sample = await Promise.all(
    createConversationIds(`${subject.name}-alone`, 10).map((id) => readHistorySize(subject.client, id)),
  );
  const mean = (what: keyof HistorySize) => sample.reduce((sum, history) => sum + history[what], 0) / sample.length;
  return { events: mean('events'), bytes: mean('bytes'), tasks: mean('tasks') };
}

async function forEachSubject<T>(work: (index: 0 | 1) => Promise<T>): Promise<SubjectPair<T>> {
  return [await work(0), await work(1)];
}

/** Measurements of one subject while conversations run. */
export interface ThroughputResult {
  tally: ThroughputTally;
  history: HistorySize;
}

/** Formats the table and the goals. Absolute numbers depend on the machine; the ratios do not. */
function formatThroughputReport(
  parley: ThroughputResult,
  bare: ThroughputResult,
  { concurrency, against, viewerStats }: Pick<BenchOptions, 'concurrency' | 'against'> & { viewerStats: ViewerStats },
): string {
  const row = createRowBuilder(parley, bare);
  const throughput = row(
    `conversations per second, ${concurrency} at once`,
    '/s',
    ({ tally }) => quantile(tally.conversationsPerSecond, 0.5),
    1,
  );
  const alone = row('answer to resumed, p50, one at a time', 'ms', readTimeQuantile('sequential', 'resumedMs', 0.5), 1);
  const rows = [
    throughput,
    row(`answer to resumed, p50, ${concurrency} at once`, 'ms', readTimeQuantile('concurrent', 'resumedMs', 0.5), 1),
    row(`answer to resumed, p99, ${concurrency} at once`, 'ms', readTimeQuantile('concurrent', 'resumedMs', 0.99), 1),
    alone,
    row('answer to resumed, p99, one at a time', 'ms', readTimeQuantile('sequential', 'resumedMs', 0.99), 1),
    row(`answer request, p50, ${concurrency} at once`, 'ms', readTimeQuantile('concurrent', 'answerMs', 0.5), 1),
    row(`answer request, p99, ${concurrency} at once`, 'ms', readTimeQuantile('concurrent', 'answerMs', 0.99), 1),
    row('answer request, p50, one at a time', 'ms', readTimeQuantile('sequential', 'answerMs', 0.5), 1),
    row('CPU per conversation, worker process', 'ms', ({ tally }) => tally.workerCpuMs / tally.concurrent.length, 1),
    row('CPU per conversation, Temporal server', 'ms', ({ tally }) => tally.serverCpuMs / tally.concurrent.length, 1),
    row('Temporal calls per conversation', '', ({ tally }) => tally.rpcCount / tally.concurrent.length, 1),
    row('history events', '', ({ history }) => history.events),
    row('workflow tasks', '', ({ history }) => history.tasks, 1),
    row('history bytes', 'B', ({ history }) => history.bytes),
  ];
  // The latency goal is for one at a time: on a saturated machine, latency only repeats the throughput.
  const goals = [
    formatRatioGoal(throughput, (ratio) => ratio >= 0.6, 'at least 0.6'),
    formatRatioGoal(alone, (ratio) => ratio <= 1.5, 'at most 1.5'),
  ];
  if (against) return formatReportTable(rows, 'other');
  return [formatReportTable(rows), '', formatViewerReport(viewerStats), '', ...goals, formatLagGoal(viewerStats)].join(
    '\n',
  );
}

/** Formats the latency of live viewers, beside that of a long poll of the same history without Parley. */
function formatViewerReport({ lags, pollLags, viewers, bytesPerViewer, eventsAdded }: ViewerStats): string {
  const row = createRowBuilder(lags, pollLags);
  const rows = [0.5, 0.99].map((share) =>
    row(`history event to viewer, p${share * 100}`, 'ms', (values) => quantile(values, share), 1),
  );
  return [
    formatReportTable(rows, 'long poll'),
    formatReportLine(`API memory per viewer, ${viewers} viewers`, `${(bytesPerViewer / 1_024).toFixed(0)} KB`),
    formatReportLine('history events they added', String(eventsAdded)),
  ].join('\n');
}

function formatLagGoal({ lags }: ViewerStats): string {
  const p50 = quantile(lags, 0.5);
  return formatGoal(p50 < 50, `history event to viewer, p50: ${p50.toFixed(1)} ms, goal under 50 ms`);
}

type ReadMeasure = (result: ThroughputResult) => number;

function readTimeQuantile(
  load: 'sequential' | 'concurrent',
  what: keyof ConversationTimes,
  share: number,
): ReadMeasure {
  return ({ tally }) => {
    const times = tally[load].map((conversation) => conversation[what]);
    return quantile(times, share);
  };
}
