import { live } from './life';
import { type Play, playOf } from './play';
import type { World } from './world';

export interface CrowdSettings {
  /** How many conversations at once. */
  size: number;
  /** How many of them wait through everything. */
  long: number;
  /** Known to the model before they begin. */
  plays: Map<string, Play>;
}

/** So many conversations at once, each followed by another, until there are no more faults; resolves when all are over. */
export async function gather(world: World, { size, long, plays }: CrowdSettings): Promise<void> {
  let count = 0;
  const begin = (isLong = false) => {
    count += 1;
    const play = playOf(world.seed, count, isLong);
    for (const one of [play, ...helpersIn(play)]) plays.set(one.name, one);
    return live(world, play, `chaos-${world.seed}-${count}`);
  };
  const chain = async () => {
    while (!world.overSince) await begin();
  };
  await Promise.all([
    ...Array.from({ length: long }, () => begin(true)),
    ...Array.from({ length: size - long }, chain),
  ]);
}

function helpersIn(play: Play): Play[] {
  return play.steps.flatMap(({ calls }) =>
    calls.flatMap((call) => (call.tool === 'delegate' ? [call.play] : [])),
  );
}
