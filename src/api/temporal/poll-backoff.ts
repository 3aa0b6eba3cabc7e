/** A worker takes about this long. To look sooner is to look in vain, and to slow it down. */
const FIRST_MS = 25;
const MAX_MS = 400;
/** Added for each waiter. */
const PER_WAITER_MS = 15;
const MAX_SHARED_MS = 1_000;

export type PollBackoff = ReturnType<typeof createPollBackoff>;

/**
 * How long those who wait for something to show let pass between two looks: twice as long each time, and after the first, which
 * finds it where there is time to spare, longer the more of them there are. Where a worker has more to do than it can, many wait, and their looks would be part of what it waits for.
 */
export function createPollBackoff() {
  let waiters = 0;
  return {
    /** Starts the back-off of one waiter. It calls `stop` when done. */
    start() {
      waiters += 1;
      let delay: number | undefined;
      return {
        next(): number {
          if (delay === undefined) {
            delay = FIRST_MS;
            return delay;
          }
          delay = Math.min(2 * delay, MAX_MS);
          return Math.max(delay, Math.min(PER_WAITER_MS * waiters, MAX_SHARED_MS));
        },
        stop(): void {
          waiters -= 1;
        },
      };
    },
  };
}
