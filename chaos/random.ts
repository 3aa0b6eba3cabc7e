import { createHash } from 'node:crypto';

/** Chance that is the same for the same seed. */
export interface SeededRandom {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  /** True so many times out of a hundred. */
  percent(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** By weight: `{ often: 9, seldom: 1 }`. */
  weighted<T extends string>(weights: Record<T, number>): T;
}

/** mulberry32, seeded by words: what one part draws changes nothing for another. */
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
