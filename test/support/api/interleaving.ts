import { createLatch } from '#test/support/scripted-model';

/** Where a scene waits until all the others have come as far. */
export interface InterleavingSteps {
  /** The worker is stopped when this resolves. */
  gone(): Promise<void>;
  /** A worker is up again when this resolves. */
  back(): Promise<void>;
}

export type InterleavingScenario = (steps: InterleavingSteps) => Promise<void>;

interface Worker {
  stopWorker(): Promise<unknown>;
  startWorker(): Promise<unknown>;
}

/** A step is taken when all scenes have come to it, or are over. */
function gate(names: string[], take: () => Promise<unknown>) {
  const missing = new Set(names);
  const { hold, release } = createLatch();
  const taken = hold.then(take);
  taken.catch(() => undefined);
  return {
    arrive(name: string): void {
      missing.delete(name);
      if (missing.size === 0) release();
    },
    taken,
  };
}

/**
 * Plays scenes that each need a worker, then none, then one again. They play at once, so that one worker is stopped and
 * started for all of them: that costs far more than what they do. Gives what became of each, by name.
 */
export function runInterleaved(
  worker: Worker,
  scenes: Record<string, InterleavingScenario>,
): Map<string, Promise<void>> {
  const names = Object.keys(scenes);
  const gone = gate(names, () => worker.stopWorker());
  const back = gate(names, () => gone.taken.then(() => worker.startWorker()));
  const play = async (name: string, scene: InterleavingScenario) => {
    const come = async (to: typeof gone) => {
      to.arrive(name);
      await to.taken;
    };
    try {
      await scene({ gone: () => come(gone), back: () => come(back) });
    } finally {
      // Nobody waits for one that is over.
      gone.arrive(name);
      back.arrive(name);
    }
  };
  const played = Object.entries(scenes).map(([name, scene]) => {
    const playing = play(name, scene);
    // Its test tells of a failure: until that runs, the promise is nobody's.
    playing.catch(() => undefined);
    return [name, playing] as const;
  });
  return new Map(played);
}
