import type { Timeline } from '#contract/entry';
import { type Kept, withEntries } from '#core/old-entries';
import type { TimelineAtHand } from '#core/view';
import type { Log } from '#log';
import { readPieces } from '#storage/entries';
import type { Store } from '#storage/store';

/** Reads entries that left a conversation's state. */
export type KeptEntries = (id: string, names: string[]) => Promise<Kept>;

const NOTHING = { entries: [], isWhole: false };

/** A storage that is away, or not set up here, takes no more from a reader than what it has: the rest is shown. */
export function keptEntries(store: Store | undefined, log: Log): KeptEntries {
  return async (id, names) => {
    if (!store) return NOTHING;
    return readPieces(store, id, names).catch((error: Error) => {
      log.warn({ error: error.message, conversation: id }, 'old entries could not be read');
      return NOTHING;
    });
  };
}

/** With what is kept elsewhere, in order. It says so where some of it cannot be shown. */
export async function withKept<T extends TimelineAtHand>(
  read: KeptEntries,
  id: string,
  seen: T,
  after = 0,
): Promise<Omit<T, 'kept'> & Timeline> {
  const { kept = [], ...atHand } = seen;
  const names = kept.flatMap(({ name, last }) => (last > after ? [name] : []));
  if (names.length === 0) return atHand;
  return withEntries(atHand, await read(id, names));
}
