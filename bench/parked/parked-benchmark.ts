import { setTimeout as pause } from 'node:timers/promises';
import { createConversationIds, readCpuTimeMs } from '../measure';
import type { ResourceUsage } from '../processes/child-process';
import type { BenchContext, RunningSubject } from '../setup';
import type { BenchSubject } from '../subjects';
import {
  type DeadlineWindow,
  type DrainResult,
  drainDeadlines,
  type ParkedPopulation,
  parkPopulation,
  spreadDeadline,
} from './population';
import { measureParkedViewers, measureSteadyLoad, type ParkedViewerStats, type SteadyLoadResult } from './steady-load';

/** Number of parked conversations, and the duration of each measurement. */
export interface ParkedPlan {
  parked: number;
  viewers: number;
  concurrency: number;
  cache: number;
  perSecond: number;
  idleS: number;
  answersS: number;
  viewersS: number;
  /** All deadlines fall within this many seconds. */
  deadlineWindowS: number;
}

/** Measurements of one subject while many conversations are parked. */
export interface ParkedResult {
  /** CPU use before the population is parked. */
  baseline: IdleCpu;
  wanted: number;
  population: ParkedPopulation;
  /** Memory growth in bytes per parked conversation: within the worker's cache, and beyond it. */
  cached: MemoryGrowth;
  uncached: MemoryGrowth;
  apiGrowth: MemoryGrowth;
  idle: IdleCpu;
  steady: SteadyLoadResult;
  viewers: ParkedViewerStats;
  drain: DrainResult;
}

export type MemoryGrowth = Pick<ResourceUsage, 'heapBytes' | 'rssBytes'>;

/** Measures one subject from start to end on one set of conversations, so that they are parked only once. */
export async function measureParked(
  context: BenchContext,
  runningSubject: RunningSubject,
  plan: ParkedPlan,
): Promise<ParkedResult> {
  const { subject } = runningSubject;
  const baseline = await measureBaseline(context, runningSubject, plan);
  const cached = await fillCache(context, runningSubject, plan);
  const { toAnswer, toWatch, trial } = await parkConversationsToAnswer(context, subject, plan);
  const deadlines = scheduleDeadlines(plan, trial);
  const { population, uncached, apiGrowth } = await parkRemaining(context, runningSubject, plan, deadlines);

  console.log(`${subject.name}: ${population.ids.length} parked. Idle for ${plan.idleS} s.`);
  await pause(STABILIZE_MS);
  const idle = await measureIdleCpu(context, runningSubject, 1_000 * plan.idleS);
  console.log(`${subject.name}: ${plan.perSecond} answers per second for ${plan.answersS} s.`);
  const steady = await measureSteadyLoad(context, runningSubject, toAnswer, plan.perSecond);
  console.log(`${subject.name}: ${plan.viewers} viewers, with answers for another ${plan.viewersS} s.`);
  const viewers = await measureParkedViewers(context, runningSubject, {
    watchedIds: [...toWatch, ...population.ids].slice(0, plan.viewers),
    answeredIds: toWatch.slice(0, plan.viewers),
    perSecond: plan.perSecond,
  });
  console.log(`${subject.name}: waiting for the deadlines.`);
  const drain = await drainDeadlines(context, subject, population.ids, deadlines);
  const memory = { cached, uncached, apiGrowth };
  return { baseline, wanted: plan.parked, population, ...memory, idle, steady, viewers, drain };
}

/** Measures CPU use with almost nothing parked. */
async function measureBaseline(
  context: BenchContext,
  runningSubject: RunningSubject,
  { concurrency }: ParkedPlan,
): Promise<IdleCpu> {
  const { subject } = runningSubject;
  await parkPopulation(context, subject, createConversationIds(`${subject.name}-first`, concurrency), {
    concurrency,
  });
  return measureIdleCpu(context, runningSubject, BASELINE_MS);
}

async function fillCache(
  context: BenchContext,
  { subject, child }: RunningSubject,
  { cache, concurrency }: ParkedPlan,
): Promise<MemoryGrowth> {
  const empty = await child.readUsage();
  await parkPopulation(context, subject, createConversationIds(`${subject.name}-cached`, cache), { concurrency });
  return computeGrowth(empty, await child.readUsage(), cache);
}

/**
 * Parks the conversations to answer. They evict the earlier ones from the cache, and serve to estimate the parking
 * speed.
 */
async function parkConversationsToAnswer(context: BenchContext, subject: BenchSubject, plan: ParkedPlan) {
  const toAnswer = createConversationIds(`${subject.name}-to-answer`, plan.answersS * plan.perSecond);
  const toWatch = createConversationIds(`${subject.name}-to-watch`, plan.viewersS * plan.perSecond);
  const { concurrency } = plan;
  const trial = await parkPopulation(context, subject, [...toAnswer, ...toWatch], { concurrency });
  return { toAnswer, toWatch, trial };
}

async function parkRemaining(
  context: BenchContext,
  { subject, child, api }: RunningSubject,
  plan: ParkedPlan,
  deadlines: DeadlineWindow,
) {
  console.log(`${subject.name}: parking ${plan.parked}, with deadlines from ${formatClockTime(deadlines.beginsAtMs)}.`);
  const before = { worker: await child.readUsage(), api: await api?.readUsage() };
  const population = await parkPopulation(
    context,
    subject,
    createConversationIds(`${subject.name}-wave`, plan.parked),
    {
      concurrency: plan.concurrency,
      startUntilMs: deadlines.beginsAtMs - estimateMeasuringMs(plan),
      expiresAtMs: (id) => spreadDeadline(deadlines, Number(id.slice(id.lastIndexOf('-') + 1)), plan.parked),
    },
  );
  const count = population.ids.length;
  const uncached = computeGrowth(before.worker, await child.readUsage(), count);
  return { population, uncached, apiGrowth: computeGrowth(before.api, await api?.readUsage(), count) };
}

const BASELINE_MS = 15_000;
/** V8 collects garbage in the first minute of idleness. The use after that is what lasts for days. */
const STABILIZE_MS = 60_000;
/** Allows for other load on the machine. */
const SLACK = 1.25;

/**
 * Schedules the deadlines after all other measurements, estimated from how fast the first conversations were parked.
 */
function scheduleDeadlines(plan: ParkedPlan, { ids, seconds }: ParkedPopulation): DeadlineWindow {
  const parkingMs = SLACK * plan.parked * ((1_000 * seconds) / ids.length);
  const begins = Date.now() + parkingMs + estimateMeasuringMs(plan);
  return { beginsAtMs: begins, endsAtMs: begins + 1_000 * plan.deadlineWindowS };
}

/** Adds half again for opening streams, reading results and delays. */
function estimateMeasuringMs({ idleS, answersS, viewersS }: ParkedPlan): number {
  return STABILIZE_MS + 1_500 * (idleS + answersS + viewersS);
}

function computeGrowth(
  before: ResourceUsage | undefined,
  after: ResourceUsage | undefined,
  count: number,
): MemoryGrowth {
  const growthPerConversation = (what: keyof MemoryGrowth) =>
    ((after?.[what] ?? Number.NaN) - (before?.[what] ?? Number.NaN)) / count;
  return { heapBytes: growthPerConversation('heapBytes'), rssBytes: growthPerConversation('rssBytes') };
}

function formatClockTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 19);
}

/** In percent of one core. */
interface IdleCpu {
  worker: number;
  api: number;
  server: number;
}

/** Measures each process's CPU use while nothing happens. */
async function measureIdleCpu(context: BenchContext, { child, api }: RunningSubject, ms: number): Promise<IdleCpu> {
  const readCpuTimes = () =>
    [child.pid, api?.pid, context.serverPid].map((pid) => (pid ? readCpuTimeMs(pid) : Number.NaN));
  const before = readCpuTimes();
  const startedAt = performance.now();
  await pause(ms);
  const after = readCpuTimes();
  const elapsedMs = performance.now() - startedAt;
  const [worker = 0, apiCpu = 0, server = 0] = after.map(
    (cpu, index) => (100 * (cpu - (before[index] ?? 0))) / elapsedMs,
  );
  return { worker, api: apiCpu, server };
}
