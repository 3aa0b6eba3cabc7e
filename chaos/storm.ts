import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, chanceOf } from './chance';
import { type Fault, faultsOf, type Target } from './faults';

/** A fault that happened. */
export interface Blow {
  fault: string;
  at: number;
  /** When all was there again, as far as it is for us to say. */
  until?: number;
}

export interface StormSettings {
  seed: string;
  /** Between the beginnings of two faults. */
  gapMs: [from: number, to: number];
  /** How often each fault at most. */
  rounds?: number;
  say(line: string): void;
}

/** Every fault once in an order by chance, then again: so that none is left out, however short it is. */
function* shuffled(
  chance: Chance,
  faults: { [name: string]: Fault },
  rounds = Number.POSITIVE_INFINITY,
): Generator<[string, Fault]> {
  for (let round = 0; round < rounds; round += 1) {
    const left = Object.entries(faults);
    while (left.length > 0) yield left.splice(chance.int(0, left.length - 1), 1)[0] as [string, Fault];
  }
}

/** Where faults are to follow each other faster than this, they are also shorter. */
const USUAL_MS = 20_000;

/** Bringing out a build takes a while, and other faults may well happen meanwhile. */
const DEPLOY = 'deploy another build';

/** Do faults until it is enough: the next begins when its time has come and the last is mended. */
export async function storm(
  target: Target,
  { seed, gapMs, rounds, say }: StormSettings,
  enough: AbortSignal,
): Promise<Blow[]> {
  const blows: Blow[] = [];
  const chance = chanceOf(seed, 'faults');
  const pace = Math.min(1, gapMs[1] / USUAL_MS);
  let deploy: Promise<void> = Promise.resolve();
  const strike = async (fault: string, work: Fault) => {
    const blow: Blow = { fault, at: Date.now() };
    blows.push(blow);
    say(fault);
    const own = chanceOf(seed, fault, blows.length);
    await work(target, (from, to) => pace * own.int(from, to), own);
    blow.until = Date.now();
  };
  let mended: Promise<unknown> = Promise.resolve();
  for (const [fault, work] of shuffled(chance, faultsOf(target.server), rounds)) {
    const gap = pause(chance.int(...gapMs), undefined, { signal: enough }).catch(() => undefined);
    await Promise.all([gap, mended]);
    if (enough.aborted) break;
    if (fault === DEPLOY) deploy = deploy.then(() => strike(fault, work));
    else mended = strike(fault, work);
  }
  await Promise.all([mended, deploy]);
  return blows;
}
