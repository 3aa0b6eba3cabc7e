import { createLatch } from '#test/support/scripted-model';

/** The points at which a scenario waits for all others. */
export interface InterleavingSteps {
  /** Resolves when the worker has stopped. */
  workerStopped(): Promise<void>;
  /** Resolves when a worker is up again. */
  workerRestarted(): Promise<void>;
}

export type InterleavingScenario = (steps: InterleavingSteps) => Promise<void>;

interface Worker {
  stopWorker(): Promise<unknown>;
  startWorker(): Promise<unknown>;
}

/** Runs `action` once all scenarios have arrived, or are over. */
function createBarrier(names: string[], action: () => Promise<unknown>) {
  const pendingNames = new Set(names);
  const { hold, release } = createLatch();
  const taken = hold.then(action);
  taken.catch(() => undefined);
  return {
    arrive(name: string): void {
      pendingNames.delete(name);
      if (pendingNames.size === 0) release();
    },
    taken,
  };
}

/**
 * Runs scenarios that each need a worker, then none, then one again. They run concurrently and share one stop and one start
 * of the worker, which cost far more than the scenarios. Returns the outcome of each, by name.
 */
export function runInterleaved(
  worker: Worker,
  scenarios: Record<string, InterleavingScenario>,
): Map<string, Promise<void>> {
  const names = Object.keys(scenarios);
  const stopBarrier = createBarrier(names, () => worker.stopWorker());
  const restartBarrier = createBarrier(names, () => stopBarrier.taken.then(() => worker.startWorker()));
  const runScenario = async (name: string, scene: InterleavingScenario) => {
    const waitAt = async (to: typeof stopBarrier) => {
      to.arrive(name);
      await to.taken;
    };
    try {
      await scene({ workerStopped: () => waitAt(stopBarrier), workerRestarted: () => waitAt(restartBarrier) });
    } finally {
      // The other scenarios need not wait for this one any more.
      stopBarrier.arrive(name);
      restartBarrier.arrive(name);
    }
  };
  const runs = Object.entries(scenarios).map(([name, scene]) => {
    const run = runScenario(name, scene);
    // Prevents an unhandled rejection before the scenario's own test awaits the promise.
    run.catch(() => undefined);
    return [name, run] as const;
  });
  return new Map(runs);
}
