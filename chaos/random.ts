import { createHash } from 'node:crypto';

/** Random numbers that are the same for the same seed. */
export interface SeededRandom {
  /** Returns a number from 0 up to 1, exclusive. */
  next(): number;
  /** Returns an integer; both bounds are included. */
  int(from: number, to: number): number;
  /** Returns true with this probability, in percent. */
  percent(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Picks by weight: `{ often: 9, seldom: 1 }`. */
  weighted<T extends string>(weights: Record<T, number>): T;
}

/** Creates a mulberry32 generator, seeded with text. Generators are independent: one does not affect another. */
export function createSeededRandom(...seedParts: (string | number)[]): SeededRandom {
  let state = createHash('sha256').update(seedParts.join(' ')).digest().readInt32LE();
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    percent: (share) => next() * 100 < share,
    pick: (from) => from[int(0, from.length - 1)] as (typeof from)[number],
    weighted(weights) {
      const entries = Object.entries<number>(weights);
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const found = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? entries[0])?.[0] as keyof typeof weights;
    },
  };
}
