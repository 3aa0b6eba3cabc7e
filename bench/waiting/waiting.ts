import { setTimeout as pause } from 'node:timers/promises';
import type { Used } from '../child';
import type { Stage } from '../converse';
import { type Contestant, idsOf } from '../measure';
import { type Audience, watchBare, watchParley } from './audience';
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
  const { side, child, api } = contestant;
  const ids = (what: string, count: number) => idsOf(`${side.name}-${what}`, count);
  const parking = { concurrency: plan.concurrency };
  const [answered, watched] = [plan.answersS, plan.watchedS].map((seconds) => seconds * plan.perSecond);
  const toAnswer = ids('answered', answered ?? 0);
  const toWatch = ids('watched', watched ?? 0);

  await parkCrowd(stage, side, ids('first', plan.concurrency), parking);
  const quiet = await idleFor(stage, contestant, QUIET_MS);
  const empty = await child.used();
  await parkCrowd(stage, side, ids('cached', plan.cache), parking);
  const full = await child.used();
  // These push the first out of the cache again, and show how fast it goes here.
  const trial = await parkCrowd(stage, side, [...toAnswer, ...toWatch], parking);
  const before = { worker: await child.used(), api: await api?.used() };

  const wave = waveAfter(plan, trial);
  console.log(`${side.name}: parking ${plan.parked}, whose deadlines fall from ${timeOf(wave.begins)} on.`);
  const crowd = await parkCrowd(stage, side, ids('wave', plan.parked), {
    ...parking,
    until: wave.begins - measuringMs(plan),
    expires: (id) => deadlineIn(wave, Number(id.slice(id.lastIndexOf('-') + 1)) - 1, plan.parked),
  });
  const after = { worker: await child.used(), api: await api?.used() };

  console.log(`${side.name}: ${crowd.ids.length} wait. ${plan.idleS} s of nothing.`);
  await pause(SETTLE_MS);
  const idle = await idleFor(stage, contestant, 1_000 * plan.idleS);
  console.log(`${side.name}: ${plan.perSecond} answers a second for ${plan.answersS} s.`);
  const steady = await answerSteadily(stage, contestant, toAnswer, plan.perSecond);
  console.log(`${side.name}: ${plan.viewers} viewers, and answers for ${plan.watchedS} s more.`);
  const audience = await (api ? watchParley : watchBare)(stage, contestant, {
    watched: [...toWatch, ...crowd.ids].slice(0, plan.viewers),
    answered: toWatch.slice(0, plan.viewers),
    perSecond: plan.perSecond,
  });
  console.log(`${side.name}: waiting for the deadlines.`);
  const drained = await drain(stage, side, crowd.ids, wave);
  const beyond = growth(before.worker, after.worker, crowd.ids.length);
  return {
    quiet,
    wanted: plan.parked,
    crowd,
    cached: growth(empty, full, plan.cache),
    beyond,
    apiBeyond: growth(before.api, after.api, crowd.ids.length),
    idle,
    steady,
    audience,
    drained,
  };
}

const QUIET_MS = 15_000;
const SETTLE_MS = 10_000;
/** Others use the machine too: so many times as long as the first took is allowed for. */
const SLACK = 1.4;

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
