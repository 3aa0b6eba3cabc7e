import { setTimeout as pause } from 'node:timers/promises';
import type { Used } from '../child';
import type { Stage } from '../converse';
import { type Contestant, idsOf } from '../measure';
import type { Side } from '../sides';
import { type Audience, watchMany } from './audience';
import { type Crowd, parkCrowd } from './crowd';
import { type Idle, idleFor } from './idle';
import { answerSteadily, type Steady } from './steady';
import { type Drained, deadlineIn, drain, type Wave } from './wave';

/** How many wait, and for how long each thing is looked at. */
export interface Plan {
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
export interface Waiting {
  /** With nothing parked yet. */
  quiet: Idle;
  wanted: number;
  crowd: Crowd;
  /** Bytes by which each process grew for each parked conversation that its worker's cache holds, and for each beyond. */
  cached: Growth;
  beyond: Growth;
  apiBeyond: Growth;
  idle: Idle;
  steady: Steady;
  audience: Audience;
  drained: Drained;
}

export type Growth = Pick<Used, 'held' | 'rss'>;

/** One side from beginning to end: everything is measured on the same conversations, so that they are parked once. */
export async function waitingOf(stage: Stage, contestant: Contestant, plan: Plan): Promise<Waiting> {
  const { side } = contestant;
  const quiet = await beforeAnything(stage, contestant, plan);
  const cached = await fillCache(stage, contestant, plan);
  const { toAnswer, toWatch, trial } = await parkThoseToAnswer(stage, side, plan);
  const wave = waveAfter(plan, trial);
  const { crowd, beyond, apiBeyond } = await parkTheRest(stage, contestant, plan, wave);

  console.log(`${side.name}: ${crowd.ids.length} wait. ${plan.idleS} s of nothing.`);
  await pause(SETTLE_MS);
  const idle = await idleFor(stage, contestant, 1_000 * plan.idleS);
  console.log(`${side.name}: ${plan.perSecond} answers a second for ${plan.answersS} s.`);
  const steady = await answerSteadily(stage, contestant, toAnswer, plan.perSecond);
  console.log(`${side.name}: ${plan.viewers} viewers, and answers for ${plan.watchedS} s more.`);
  const audience = await watchMany(stage, contestant, {
    watched: [...toWatch, ...crowd.ids].slice(0, plan.viewers),
    answered: toWatch.slice(0, plan.viewers),
    perSecond: plan.perSecond,
  });
  console.log(`${side.name}: waiting for the deadlines.`);
  const drained = await drain(stage, side, crowd.ids, wave);
  const memory = { cached, beyond, apiBeyond };
  return { quiet, wanted: plan.parked, crowd, ...memory, idle, steady, audience, drained };
}

/** What the server uses with next to nothing parked. */
async function beforeAnything(stage: Stage, contestant: Contestant, { concurrency }: Plan): Promise<Idle> {
  const { side } = contestant;
  await parkCrowd(stage, side, idsOf(`${side.name}-first`, concurrency), { concurrency });
  return idleFor(stage, contestant, QUIET_MS);
}

async function fillCache(
  stage: Stage,
  { side, child }: Contestant,
  { cache, concurrency }: Plan,
): Promise<Growth> {
  const empty = await child.used();
  await parkCrowd(stage, side, idsOf(`${side.name}-cached`, cache), { concurrency });
  return growth(empty, await child.used(), cache);
}

/** These push the first out of the cache again, and show how fast it goes here. */
async function parkThoseToAnswer(stage: Stage, side: Side, plan: Plan) {
  const toAnswer = idsOf(`${side.name}-to-answer`, plan.answersS * plan.perSecond);
  const toWatch = idsOf(`${side.name}-to-watch`, plan.watchedS * plan.perSecond);
  const { concurrency } = plan;
  const trial = await parkCrowd(stage, side, [...toAnswer, ...toWatch], { concurrency });
  return { toAnswer, toWatch, trial };
}

async function parkTheRest(stage: Stage, { side, child, api }: Contestant, plan: Plan, wave: Wave) {
  console.log(`${side.name}: parking ${plan.parked}, whose deadlines fall from ${timeOf(wave.begins)} on.`);
  const before = { worker: await child.used(), api: await api?.used() };
  const crowd = await parkCrowd(stage, side, idsOf(`${side.name}-wave`, plan.parked), {
    concurrency: plan.concurrency,
    until: wave.begins - measuringMs(plan),
    expires: (id) => deadlineIn(wave, Number(id.slice(id.lastIndexOf('-') + 1)), plan.parked),
  });
  const count = crowd.ids.length;
  const beyond = growth(before.worker, await child.used(), count);
  return { crowd, beyond, apiBeyond: growth(before.api, await api?.used(), count) };
}

const QUIET_MS = 15_000;
/** V8 tidies up once in the first minute of quiet: what comes after goes on for days. */
const SETTLE_MS = 60_000;
/** Others use the machine too: so many times as long as the first took is allowed for. */
const SLACK = 1.25;

/** Everything else is over by then, as far as one can tell from how fast the first were parked. */
function waveAfter(plan: Plan, { ids, seconds }: Crowd): Wave {
  const parkingMs = SLACK * plan.parked * ((1_000 * seconds) / ids.length);
  const begins = Date.now() + parkingMs + measuringMs(plan);
  return { begins, ends: begins + 1_000 * plan.waveS };
}

/** Half as much again for opening streams, reading results and what is slow. */
function measuringMs({ idleS, answersS, watchedS }: Plan): number {
  return SETTLE_MS + 1_500 * (idleS + answersS + watchedS);
}

function growth(before: Used | undefined, after: Used | undefined, count: number): Growth {
  const of = (what: keyof Growth) => ((after?.[what] ?? Number.NaN) - (before?.[what] ?? Number.NaN)) / count;
  return { held: of('held'), rss: of('rss') };
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
