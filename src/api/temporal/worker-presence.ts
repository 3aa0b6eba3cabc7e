/**
 * Waits for workers. Temporal accepts an answer with no worker running, but only a worker decides its outcome, so a
 * request polls the run until the outcome shows (`poll`), and a query waits for a worker's reply (`execution.ts`).
 * With no worker, both would wait in vain. This file tracks whether one is present, from the last poll of the task
 * queue that Temporal remembers and from earlier waits that timed out. Errs towards yes: a wrong yes costs a wait, a
 * wrong no hides a result that is on its way. Polls back off, more so with more waiting requests, so that they do not
 * slow the worker.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createCachedRead } from '#infra/cached-read';
import { isTemporalUnavailable } from './errors';
import type { Execution } from './execution';
import type { WaitLimits } from './gateway';

/** How long a worker that was polling is assumed to be present. */
const CACHE_MS = 2_000;

export type WorkerPresence = ReturnType<typeof createWorkerPresence>;

export function createWorkerPresence(
  readLastPoll: () => Promise<number>,
  waitLimits: Readonly<Pick<WaitLimits, 'resultMs'>>,
) {
  const lastPoll = createCachedRead(CACHE_MS, readLastPoll);
  const pollBackoff = createPollBackoff();
  /** The last poll that was known when a wait for a worker timed out. */
  let lastMissedPoll = 0;

  const isPresent = (lastPollAt: number) => lastPollAt > lastMissedPoll;
  // If Temporal cannot be reached, the request that needs the worker reports it.
  const refresh = () => lastPoll.refresh().catch(() => Number.POSITIVE_INFINITY);

  /**
   * Starts a wait for a worker; undefined if none is present. Checks again before saying so, since one may have just
   * started.
   */
  const expectWorker = async () => {
    const cached = lastPoll.cached() ?? 0;
    const lastPollAt = isPresent(cached) ? cached : await refresh();
    if (!isPresent(lastPollAt)) return undefined;
    return {
      seen(): void {
        lastMissedPoll = 0;
      },
      /** No worker claimed the task in time. */
      missed(): void {
        if (Number.isFinite(lastPollAt)) lastMissedPoll = lastPollAt;
      },
    };
  };

  return {
    expectWorker,

    /** Returns when the last worker polled, if none is present now; undefined if one is. At most two seconds old. */
    async absentSince(): Promise<number | undefined> {
      const lastPollAt = lastPoll.cached() ?? (await refresh());
      return isPresent(lastPollAt) ? undefined : lastPollAt;
    },

    /**
     * Reads the run until `look` returns a value. Undefined if no worker is present or none acted within
     * `waitLimits.resultMs`, also if Temporal cannot be reached meanwhile: what it accepted is safe.
     */
    async poll<T>(
      find: () => Promise<Execution | undefined>,
      look: (run: Execution | undefined) => Promise<T | undefined> | T | undefined,
    ): Promise<T | undefined> {
      const wait = await expectWorker();
      if (!wait) return undefined;
      const backoff = pollBackoff.start();
      const deadline = Date.now() + waitLimits.resultMs;
      let run: Execution | undefined;
      try {
        do {
          await pause(Math.min(backoff.next(), Math.max(0, deadline - Date.now())));
          try {
            run = await find();
            const result = await look(run);
            if (result !== undefined) {
              if (!run?.isTaskUnclaimed) wait.seen();
              return result;
            }
          } catch (error) {
            if (!isTemporalUnavailable(error)) throw error;
          }
        } while (Date.now() < deadline);
      } finally {
        backoff.stop();
      }
      // A claimed task has a worker, which may be stuck with this conversation alone.
      if (run?.isTaskUnclaimed) wait.missed();
      return undefined;
    },
  };
}

/** A worker takes about this long; an earlier poll would find nothing. */
const FIRST_DELAY_MS = 25;
const MAX_DELAY_MS = 400;
const DELAY_PER_WAITER_MS = 15;
const MAX_SHARED_DELAY_MS = 1_000;

/**
 * Creates the delays between polls. The first is always short; then they double, and grow with the number of waiters:
 * many wait when the worker is overloaded, and their polls would add to its load.
 */
export function createPollBackoff() {
  let waiters = 0;
  return {
    /** Starts the back-off of one waiter, which calls `stop` when done. */
    start() {
      waiters += 1;
      let delay: number | undefined;
      return {
        next(): number {
          if (delay === undefined) {
            delay = FIRST_DELAY_MS;
            return delay;
          }
          delay = Math.min(2 * delay, MAX_DELAY_MS);
          return Math.max(delay, Math.min(DELAY_PER_WAITER_MS * waiters, MAX_SHARED_DELAY_MS));
        },
        stop(): void {
          waiters -= 1;
        },
      };
    },
  };
}
