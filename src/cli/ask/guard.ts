/** While it stands, keys were meant for something else. */
export interface Guard {
  /** When it falls, if nothing is pressed until then. */
  until: number;
  /** When it falls for certain. */
  latest: number;
}

const QUIET_MS = 300;
const MOST_MS = 2_000;

/** Before a question, whoever called it up: nobody has read it yet. */
export function guardAt(now: number): Guard {
  return { until: now + QUIET_MS, latest: now + MOST_MS };
}

/** Somebody is in mid-sentence: it stands until they have seen what came up. */
export function guardAfterKey({ latest }: Guard, now: number): Guard {
  return { until: Math.min(now + QUIET_MS, latest), latest };
}
