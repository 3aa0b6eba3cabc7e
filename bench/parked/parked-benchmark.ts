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

/** How many wait, and for how long each thing is looked at. */
export interface ParkedPlan {
  parked: number;
  viewers: number;
  concurrency: number;
  cache: number;
  perSecond: number;
  idleS: number;
  answersS: number;
  watchedS: number;
  /** All deadlines fall within so long. */
  waveS: number;
}

/** What one side has shown while many wait. */
export interface ParkedResult {
  /** With nothing parked yet. */
  quiet: IdleCpu;
  wanted: number;
  crowd: ParkedPopulation;
  /** Bytes by which each process grew for each parked conversation that its worker's cache holds, and for each beyond. */
  cached: MemoryGrowth;
  beyond: MemoryGrowth;
  apiBeyond: MemoryGrowth;
  idle: IdleCpu;
  steady: SteadyLoadResult;
  audience: ParkedViewerStats;
  drained: DrainResult;
}

export type MemoryGrowth = Pick<ResourceUsage, 'held' | 'rss'>;

/** One side from beginning to end: everything is measured on the same conversations, so that they are parked once. */
export async function measureParked(
  stage: BenchContext,
  contestant: RunningSubject,
  plan: ParkedPlan,
): Promise<ParkedResult> {
  const { side } = contestant;
  const quiet = await measureBaseline(stage, contestant, plan);
  const cached = await fillCache(stage, contestant, plan);
  const { toAnswer, toWatch, trial } = await parkConversationsToAnswer(stage, side, plan);
  const wave = scheduleDeadlines(plan, trial);
  const { crowd, beyond, apiBeyond } = await parkRemaining(stage, contestant, plan, wave);

  console.log(`${side.name}: ${crowd.ids.length} wait. ${plan.idleS} s of nothing.`);
  await pause(STABILIZE_MS);
  const idle = await measureIdleCpu(stage, contestant, 1_000 * plan.idleS);
  console.log(`${side.name}: ${plan.perSecond} answers a second for ${plan.answersS} s.`);
  const steady = await measureSteadyLoad(stage, contestant, toAnswer, plan.perSecond);
  console.log(`${side.name}: ${plan.viewers} viewers, and answers for ${plan.watchedS} s more.`);
  const audience = await measureParkedViewers(stage, contestant, {
    watched: [...toWatch, ...crowd.ids].slice(0, plan.viewers),
    answered: toWatch.slice(0, plan.viewers),
    perSecond: plan.perSecond,
  });
  console.log(`${side.name}: waiting for the deadlines.`);
  const drained = await drainDeadlines(stage, side, crowd.ids, wave);
  const memory = { cached, beyond, apiBeyond };
  return { quiet, wanted: plan.parked, crowd, ...memory, idle, steady, audience, drained };
}

/** What the server uses with next to nothing parked. */
async function measureBaseline(
  stage: BenchContext,
  contestant: RunningSubject,
  { concurrency }: ParkedPlan,
): Promise<IdleCpu> {
  const { side } = contestant;
  await parkPopulation(stage, side, createConversationIds(`${side.name}-first`, concurrency), {
    concurrency,
  });
  return measureIdleCpu(stage, contestant, BASELINE_MS);
}

async function fillCache(
  stage: BenchContext,
  { side, child }: RunningSubject,
  { cache, concurrency }: ParkedPlan,
): Promise<MemoryGrowth> {
  const empty = await child.used();
  await parkPopulation(stage, side, createConversationIds(`${side.name}-cached`, cache), { concurrency });
  return computeGrowth(empty, await child.used(), cache);
}

/** These push the first out of the cache again, and show how fast it goes here. */
async function parkConversationsToAnswer(stage: BenchContext, side: BenchSubject, plan: ParkedPlan) {
  const toAnswer = createConversationIds(`${side.name}-to-answer`, plan.answersS * plan.perSecond);
  const toWatch = createConversationIds(`${side.name}-to-watch`, plan.watchedS * plan.perSecond);
  const { concurrency } = plan;
  const trial = await parkPopulation(stage, side, [...toAnswer, ...toWatch], { concurrency });
  return { toAnswer, toWatch, trial };
}

async function parkRemaining(
  stage: BenchContext,
  { side, child, api }: RunningSubject,
  plan: ParkedPlan,
  wave: DeadlineWindow,
) {
  console.log(`${side.name}: parking ${plan.parked}, whose deadlines fall from ${formatClockTime(wave.begins)} on.`);
  const before = { worker: await child.used(), api: await api?.used() };
  const crowd = await parkPopulation(stage, side, createConversationIds(`${side.name}-wave`, plan.parked), {
    concurrency: plan.concurrency,
    until: wave.begins - estimateMeasuringMs(plan),
    expires: (id) => spreadDeadline(wave, Number(id.slice(id.lastIndexOf('-') + 1)), plan.parked),
  });
  const count = crowd.ids.length;
  const beyond = computeGrowth(before.worker, await child.used(), count);
  return { crowd, beyond, apiBeyond: computeGrowth(before.api, await api?.used(), count) };
}

const BASELINE_MS = 15_000;
/** V8 tidies up once in the first minute of quiet: what comes after goes on for days. */
const STABILIZE_MS = 60_000;
/** Others use the machine too: so many times as long as the first took is allowed for. */
const SLACK = 1.25;

/** Everything else is over by then, as far as one can tell from how fast the first were parked. */
function scheduleDeadlines(plan: ParkedPlan, { ids, seconds }: ParkedPopulation): DeadlineWindow {
  const parkingMs = SLACK * plan.parked * ((1_000 * seconds) / ids.length);
  const begins = Date.now() + parkingMs + estimateMeasuringMs(plan);
  return { begins, ends: begins + 1_000 * plan.waveS };
}

/** Half as much again for opening streams, reading results and what is slow. */
function estimateMeasuringMs({ idleS, answersS, watchedS }: ParkedPlan): number {
  return STABILIZE_MS + 1_500 * (idleS + answersS + watchedS);
}

function computeGrowth(
  before: ResourceUsage | undefined,
  after: ResourceUsage | undefined,
  count: number,
): MemoryGrowth {
  const of = (what: keyof MemoryGrowth) => ((after?.[what] ?? Number.NaN) - (before?.[what] ?? Number.NaN)) / count;
  return { held: of('held'), rss: of('rss') };
}

function formatClockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** In percent of one core. */
interface IdleCpu {
  worker: number;
  api: number;
  server: number;
}

/** What everybody uses while nothing happens, for so long. */
async function measureIdleCpu(stage: BenchContext, { child, api }: RunningSubject, ms: number): Promise<IdleCpu> {
  const look = () => [child.pid, api?.pid, stage.serverPid].map((pid) => (pid ? readCpuTimeMs(pid) : Number.NaN));
  const before = look();
  const began = performance.now();
  await pause(ms);
  const after = look();
  const passed = performance.now() - began;
  const [worker = 0, of = 0, server = 0] = after.map((cpu, at) => (100 * (cpu - (before[at] ?? 0))) / passed);
  return { worker, api: of, server };
}
