/** How long a worker that was polling is assumed to be still there. */
const CACHE_MS = 2_000;

export type WorkerPresence = ReturnType<typeof createWorkerPresence>;

/** A wait for a worker to act, and how it ended. */
export interface WorkerWait {
  seen(): void;
  /** No worker claimed the task in time. */
  missed(): void;
}

/**
 * Tracks whether any worker is polling, from the last poll that Temporal remembers and from waits that timed out. Errs towards
 * yes: a false yes loses time, a false no hides a result that is on its way.
 */
export function createWorkerPresence(readLastPoll: () => Promise<number>, now: () => number = Date.now) {
  let cached: { lastPollAt: number; checkedAt: number } | undefined;
  let pendingCheck: Promise<number> | undefined;
  /** The last poll that was known when a wait for a worker timed out. */
  let lastMissedPoll = 0;

  const isPresent = (lastPollAt: number) => lastPollAt > lastMissedPoll;

  const refresh = async () => {
    const lastPollAt = await readLastPoll();
    cached = { lastPollAt, checkedAt: now() };
    return lastPollAt;
  };

  /** Refreshes before reporting that no worker is present: one may have started just now. */
  const latestPoll = async (): Promise<number> => {
    if (cached && now() - cached.checkedAt <= CACHE_MS && isPresent(cached.lastPollAt)) return cached.lastPollAt;
    pendingCheck ??= refresh().finally(() => {
      pendingCheck = undefined;
    });
    // If Temporal does not tell, whoever asks will hear from it soon enough.
    return pendingCheck.catch(() => Number.POSITIVE_INFINITY);
  };

  return {
    /** Where nobody is there: since when nothing was acted on, as it was known a moment ago. */
    async absentSince(): Promise<number | undefined> {
      const lastPollAt = cached && now() - cached.checkedAt <= CACHE_MS ? cached.lastPollAt : await latestPoll();
      return isPresent(lastPollAt) ? undefined : lastPollAt;
    },
    /** Starts a wait for a worker; undefined if none is present. */
    async expectWorker(): Promise<WorkerWait | undefined> {
      const lastPollAt = await latestPoll();
      if (!isPresent(lastPollAt)) return undefined;
      return {
        seen() {
          lastMissedPoll = 0;
        },
        missed() {
          if (Number.isFinite(lastPollAt)) lastMissedPoll = lastPollAt;
        },
      };
    },
  };
}
