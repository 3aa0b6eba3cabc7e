import { readArchiveChunks } from '#archive/conversation-archive';
import type { ConversationTimeline } from '#contract/timeline';
import { type ArchivedEntries, mergeArchivedEntries, type RecentTimeline } from '#core/timeline';
import type { Log } from '#infra/log';
import type { ObjectStore } from '#infra/storage/object-store';

/** Reads entries that left a conversation's state. */
export type ArchiveReader = (id: string, names: string[]) => Promise<ArchivedEntries>;

const NOTHING = { entries: [], isWhole: false };

/** A storage that is away, or not set up here, takes no more from a reader than what it has: the rest is shown. */
export function createArchiveReader(store: ObjectStore | undefined, log: Log): ArchiveReader {
  return async (id, names) => {
    if (!store) return NOTHING;
    return readArchiveChunks(store, id, names).catch((error: Error) => {
      log.warn({ error: error.message, conversation: id }, 'old entries could not be read');
      return NOTHING;
    });
  };
}

/** With what is kept elsewhere, in order. It says so where some of it cannot be shown. */
export async function withArchivedEntries<T extends RecentTimeline>(
  read: ArchiveReader,
  id: string,
  seen: T,
  after = 0,
): Promise<Omit<T, 'kept'> & ConversationTimeline> {
  const { kept = [], ...atHand } = seen;
  const names = kept.flatMap(({ name, last }) => (last > after ? [name] : []));
  if (names.length === 0) return atHand;
  return mergeArchivedEntries(atHand, await read(id, names));
}
