import type { Caller } from './caller';
import { Refusal } from './errors';

/** Of one key in one process; more is a program that forgets to close them. */
const MOST = 1_000;

/** Counts the streams that are open for each key. Where there are no keys there is no limit. */
export function createStreams(counted: (show: () => Promise<void>) => Promise<void> = (show) => show()) {
  const open = new Map<string, number>();
  return async ({ name }: Caller, show: () => Promise<void>): Promise<void> => {
    if (name === null) return counted(show);
    const before = open.get(name) ?? 0;
    if (before >= MOST)
      throw new Refusal('rate_limited', `${name} has ${MOST} streams open already. Close some first.`);
    open.set(name, before + 1);
    try {
      await counted(show);
    } finally {
      const left = (open.get(name) ?? 1) - 1;
      if (left > 0) open.set(name, left);
      else open.delete(name);
    }
  };
}
