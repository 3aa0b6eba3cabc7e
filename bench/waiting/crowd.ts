import { inParallel, park, type Stage } from '../converse';
import type { Side } from '../sides';

export interface Crowd {
  /** Those that are parked. */
  ids: string[];
  seconds: number;
}

export interface Terms {
  concurrency: number;
  /** When its question expires, where it does within the run. */
  expires?: (id: string) => number;
  /** None is begun after that. */
  until?: number;
}

/** Park them all, or as many as there is time for. */
export async function parkCrowd(
  stage: Stage,
  side: Side,
  ids: string[],
  { concurrency, expires, until = Number.POSITIVE_INFINITY }: Terms,
): Promise<Crowd> {
  const parked: string[] = [];
  const began = performance.now();
  const stop = progress(() => `${side.name}: ${parked.length} of ${ids.length} are parked.`);
  try {
    await inParallel(ids, concurrency, async (id) => {
      if (Date.now() > until) return;
      const at = expires?.(id);
      await park(stage, side, id, at && at - Date.now());
      parked.push(id);
    });
  } finally {
    stop();
  }
  return { ids: parked, seconds: (performance.now() - began) / 1_000 };
}

const EVERY_MS = 30_000;

/** Says every half minute how far it has come, until told to stop. */
export function progress(words: () => string): () => void {
  const timer = setInterval(() => console.log(`  ${words()}`), EVERY_MS);
  return () => clearInterval(timer);
}
