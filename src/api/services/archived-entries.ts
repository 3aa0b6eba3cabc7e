import { readArchiveChunks } from '#archive/conversation-archive';
import type { ConversationTimeline } from '#contract/timeline';
import { type ArchivedEntries, mergeArchivedEntries, type RecentTimeline } from '#core/timeline';
import type { Log } from '#infra/log';
import type { ObjectStore } from '#infra/storage/object-store';

/** Reads entries that left a conversation's state. */
export type ArchiveReader = (id: string, names: string[]) => Promise<ArchivedEntries>;

const EMPTY_ARCHIVE = { entries: [], isComplete: false };

/**
 * Returns a reader that never fails: if the store is unavailable or not configured, only the recent entries are shown.
 */
export function createArchiveReader(store: ObjectStore | undefined, log: Log): ArchiveReader {
  return async (id, names) => {
    if (!store) return EMPTY_ARCHIVE;
    return readArchiveChunks(store, id, names).catch((error: Error) => {
      log.warn({ error: error.message, conversation: id }, 'failed to read archived entries');
      return EMPTY_ARCHIVE;
    });
  };
}

/** Adds the archived entries to a timeline, in order. Marks the timeline as truncated if some cannot be read. */
export async function withArchivedEntries<T extends RecentTimeline>(
  readArchive: ArchiveReader,
  id: string,
  timeline: T,
  after = 0,
): Promise<Omit<T, 'archivedChunks'> & ConversationTimeline> {
  const { archivedChunks = [], ...recent } = timeline;
  const names = archivedChunks.flatMap(({ name, lastEntryId }) => (lastEntryId > after ? [name] : []));
  if (names.length === 0) return recent;
  return mergeArchivedEntries(recent, await readArchive(id, names));
}
