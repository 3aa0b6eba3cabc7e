/** For so long it is taken that a worker which was there still is. */
const KNOWN_MS = 2_000;

export type WorkerPresence = ReturnType<typeof createWorkerPresence>;

/** A wait for a worker to act, and how it ended. */
export interface WorkerWait {
  met(): void;
  /** Nobody took up what was to be done, in all that time. */
  missed(): void;
}

/**
 * Whether a worker is there, to know whether to wait for one. Nobody can be sure: Temporal remembers for some minutes when
 * one asked for work last, by its own clock, and who waited in vain tells the rest. In doubt there is one: to wait too long
 * loses time, to wait too little the outcome that was on its way.
 */
export function createWorkerPresence(lastPoll: () => Promise<number>, now: () => number = Date.now) {
  let known: { polled: number; at: number } | undefined;
  let asking: Promise<number> | undefined;
  /** Somebody waited in vain when this was the last time that one had asked for work. */
  let vain = 0;

  const isThere = (polled: number) => polled > vain;

  const ask = async () => {
    const polled = await lastPoll();
    known = { polled, at: now() };
    return polled;
  };

  /** Asked anew for whoever would hear that nobody is there: one may have come just now. */
  const polledLast = async (): Promise<number> => {
    if (known && now() - known.at <= KNOWN_MS && isThere(known.polled)) return known.polled;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    // If Temporal does not tell, whoever asks will hear from it soon enough.
    return asking.catch(() => Number.POSITIVE_INFINITY);
  };

  return {
    /** Where nobody is there: since when nothing was acted on, as it was known a moment ago. */
    async absentSince(): Promise<number | undefined> {
      const polled = known && now() - known.at <= KNOWN_MS ? known.polled : await polledLast();
      return isThere(polled) ? undefined : polled;
    },
    /** Begin to wait for a worker; nothing where there is none to wait for. */
    async begin(): Promise<WorkerWait | undefined> {
      const polled = await polledLast();
      if (!isThere(polled)) return undefined;
      return {
        met() {
          vain = 0;
        },
        missed() {
          if (Number.isFinite(polled)) vain = polled;
        },
      };
    },
  };
}
