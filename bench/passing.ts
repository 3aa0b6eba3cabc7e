import type { Cleanup } from '#process';
import { converse, inParallel, type Stage } from './converse';
import type { Flags } from './flags';
import { type Contestant, emptyTally, type History, historyOf, idsOf, type Tally, takeTurn } from './measure';
import { report } from './report';
import { type Both, startBoth } from './stage';
import { lagsOf, viewersOf, type Watching } from './watching';

const A_TURN = 50;
const WATCHED = 100;
const VIEWED = 20;

/** Conversations that go by: alone, many at once, and watched. */
export async function passing(stage: Stage, flags: Flags, cleanup: Cleanup): Promise<string> {
  const both = await startBoth(stage, flags, cleanup);
  const tallies: Both<Tally> = [emptyTally(), emptyTally()];
  await warmUp(stage, both, flags);
  await oneAtATime(stage, both, tallies, flags);
  await manyAtOnce(stage, both, tallies, flags);
  const histories = await forBoth((index) => meanHistory(both[index]));
  const watching = flags.against ? UNWATCHED : await watch(stage, both[0], flags);
  await Promise.all(both.map(({ child }) => child.stop()));
  const shown = (index: 0 | 1) => ({ tally: tallies[index], history: histories[index] });
  return report(shown(0), shown(1), { ...flags, watching });
}

const UNWATCHED = { lags: [], pollLags: [], viewers: 0, bytesPerViewer: Number.NaN, eventsAdded: 0 };

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
async function oneAtATime(
  stage: Stage,
  both: Both<Contestant>,
  tallies: Both<Tally>,
  { alone }: Flags,
): Promise<void> {
  console.log(`${alone} conversations each, one at a time.`);
  for (let n = 1; n <= alone; n += 1) {
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

async function meanHistory({ side }: Contestant): Promise<History> {
  const sample = await Promise.all(idsOf(`${side.name}-alone`, 10).map((id) => historyOf(side.client, id)));
  const mean = (what: keyof History) =>
    sample.reduce((sum, history) => sum + history[what], 0) / sample.length;
  return { events: mean('events'), bytes: mean('bytes'), tasks: mean('tasks') };
}

async function forBoth<T>(work: (index: 0 | 1) => Promise<T>): Promise<Both<T>> {
  return [await work(0), await work(1)];
}
