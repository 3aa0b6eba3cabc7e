/** A worker takes about this long. To look sooner is to look in vain, and to slow it down. */
const FIRST_MS = 25;
const LONGEST_MS = 400;
/** For each of those who wait. */
const EACH_MS = 15;
const LONGEST_OF_MANY_MS = 1_000;

export type PollBackoff = ReturnType<typeof createPollBackoff>;

/**
 * How long those who wait for something to show let pass between two looks: twice as long each time, and after the first, which
 * finds it where there is time to spare, longer the more of them there are. Where a worker has more to do than it can, many wait, and their looks would be part of what it waits for.
 */
export function createPollBackoff() {
  let waiting = 0;
  return {
    /** For one who begins to wait; left when that is over. */
    join() {
      waiting += 1;
      let own: number | undefined;
      return {
        next(): number {
          if (own === undefined) {
            own = FIRST_MS;
            return own;
          }
          own = Math.min(2 * own, LONGEST_MS);
          return Math.max(own, Math.min(EACH_MS * waiting, LONGEST_OF_MANY_MS));
        },
        leave(): void {
          waiting -= 1;
        },
      };
    },
  };
}
