import type { Parley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import type { Entry, Timeline } from '#contract/entry';
import type { Question } from '#contract/question';

/** How far a conversation has come. */
export interface SoFar extends Timeline {
  /** The number up to which everything is known. */
  last: number;
  /** The one that is open. */
  question: Question | null;
}

/** Nothing, where there is no worker to tell it. */
export async function readSoFar(parley: Parley, id: string): Promise<SoFar | undefined> {
  try {
    return soFarOf(await parley.timeline(id));
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'worker_unavailable') return undefined;
    throw error;
  }
}

export function soFarOf(timeline: Timeline): SoFar {
  const open = timeline.items.findLast((entry) => entry.kind === 'question' && entry.settledId === null);
  const question = open?.kind === 'question' ? open.question : null;
  return { ...timeline, last: Math.max(0, ...timeline.items.map(numberOf)), question };
}

function numberOf(entry: Entry): number {
  return entry.kind === 'question' ? Math.max(entry.id, entry.settledId ?? 0) : entry.id;
}
