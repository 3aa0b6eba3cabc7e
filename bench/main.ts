import { parseArgs } from 'node:util';
import { ConfigError } from '../src/config';
import type { Cleanup } from '../src/process';
import { converse, inParallel, type Stage } from './converse';
import {
  type Contestant,
  emptyTally,
  growthOf,
  type History,
  historyOf,
  idsOf,
  type Tally,
  takeTurn,
} from './measure';
import { report } from './report';
import { type Both, setStage, startBoth } from './stage';
import { lagsOf, viewersOf, type Watching } from './watching';

interface Flags {
  conversations: number;
  concurrency: number;
  parked: number;
  viewers: number;
}

const ALONE = 50;
const A_TURN = 50;
const CACHE = 500;
const SMALL_CACHE = 100;
const WATCHED = 100;
const VIEWED = 20;

/**
 * `npm run bench`: what Parley costs next to the bare Temporal workflow it stands on. One server and one run for both,
 * by turns, so that a noisy machine is noisy to both alike: the ratios count. Each side has one worker, with the same
 * options, in a process of its own; Parley's has the API in it, as `npm start` does. The bare side's activities make one
 * plain HTTP call each; Parley's call a model that answers at once, by the real SDK.
 */
async function bench(flags: Flags, cleanup: Cleanup): Promise<string> {
  const stage = await setStage(cleanup);
  const both = await startBoth(stage, CACHE, cleanup);
  const tallies: Both<Tally> = [emptyTally(), emptyTally()];
  await warmUp(stage, both, flags);
  await oneAtATime(stage, both, tallies);
  await manyAtOnce(stage, both, tallies, flags);
  const histories = await forBoth((index) => meanHistory(stage, both[index]));
  const watching = await watch(stage, both[0], flags);
  await Promise.all(both.map(({ child }) => child.stop()));

  const { parked, concurrency } = flags;
  console.log(`Parking ${SMALL_CACHE + parked} conversations each, on workers that cache ${SMALL_CACHE}.`);
  const small = await startBoth(stage, SMALL_CACHE, cleanup);
  const parking = { cache: SMALL_CACHE, parked, concurrency };
  const growths = await forBoth((index) => growthOf(stage, small[index], parking));

  const shown = (index: 0 | 1) => ({
    tally: tallies[index],
    history: histories[index],
    growth: growths[index],
  });
  return report(shown(0), shown(1), { concurrency, watching });
}

async function watch(stage: Stage, parley: Contestant, { viewers, concurrency }: Flags): Promise<Watching> {
  console.log(`Following ${WATCHED} conversations live, then ${viewers} viewers on ${VIEWED}.`);
  const lags = await lagsOf(stage, parley, WATCHED);
  return { ...lags, ...(await viewersOf(stage, parley, { viewers, conversations: VIEWED, concurrency })) };
}

async function warmUp(stage: Stage, both: Both<Contestant>, { concurrency }: Flags): Promise<void> {
  console.log('Warming up.');
  for (const { side } of both)
    await inParallel(idsOf(`${side.name}-warm-up`, 2 * A_TURN), concurrency, (id) =>
      converse(stage, side, id),
    );
}

/** With nothing else going on: what one person waits for. */
async function oneAtATime(stage: Stage, both: Both<Contestant>, tallies: Both<Tally>): Promise<void> {
  console.log(`${ALONE} conversations each, one at a time.`);
  for (let n = 1; n <= ALONE; n += 1) {
    await forBoth(async (index) => {
      const { side } = both[index];
      tallies[index].alone.push(await converse(stage, side, `${side.name}-alone-${n}`));
    });
  }
}

async function manyAtOnce(
  stage: Stage,
  both: Both<Contestant>,
  tallies: Both<Tally>,
  { conversations, concurrency }: Flags,
): Promise<void> {
  console.log(`${conversations} conversations each, ${concurrency} at once, by turns.`);
  const turn = async (index: 0 | 1, number: number, count: number) => {
    const ids = idsOf(`${both[index].side.name}-turn-${number}`, count);
    await takeTurn(stage, both[index], tallies[index], ids, concurrency);
  };
  for (let left = conversations, number = 1; left > 0; left -= A_TURN, number += 1) {
    const count = Math.min(left, A_TURN);
    const first = number % 2 === 1 ? 0 : 1;
    await turn(first, number, count);
    await turn(first === 0 ? 1 : 0, number, count);
  }
}

async function meanHistory({ client }: Stage, { side }: Contestant): Promise<History> {
  const sample = await Promise.all(idsOf(`${side.name}-alone`, 10).map((id) => historyOf(client, id)));
  const mean = (what: keyof History) =>
    sample.reduce((sum, history) => sum + history[what], 0) / sample.length;
  return { events: mean('events'), bytes: mean('bytes'), tasks: mean('tasks') };
}

async function forBoth<T>(work: (index: 0 | 1) => Promise<T>): Promise<Both<T>> {
  return [await work(0), await work(1)];
}

function readFlags(): Flags {
  const preset = (value: string) => ({ type: 'string', default: value }) as const;
  const options = {
    conversations: preset('400'),
    concurrency: preset('20'),
    parked: preset('300'),
    viewers: preset('200'),
  };
  const { values } = parseArgs({ options });
  const number = (name: keyof Flags) => {
    if (/^[1-9]\d{0,5}$/.test(values[name])) return Number(values[name]);
    throw new ConfigError(`--${name} is a whole number from 1 up, not ${JSON.stringify(values[name])}.`);
  };
  return {
    conversations: number('conversations'),
    concurrency: number('concurrency'),
    parked: number('parked'),
    viewers: number('viewers'),
  };
}

/** A goal that is missed is said, and no error: machines are noisy. A wrong outcome is one. */
async function main(): Promise<number> {
  const cleanup: Cleanup = [];
  const tidy = async () => {
    for (let undo = cleanup.pop(); undo; undo = cleanup.pop()) await undo();
  };
  process.once('SIGINT', () => void tidy().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void tidy().finally(() => process.exit(143)));
  try {
    console.log(`\n${await bench(readFlags(), cleanup)}\n`);
    return 0;
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    return 1;
  } finally {
    await tidy();
  }
}

void main().then((code) => process.exit(code));
