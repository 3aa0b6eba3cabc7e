import type { TimelineEntry } from '#contract/timeline';
import type { ArchivedEntries } from '#core/timeline';
import type { Log } from '#infra/log';
import { getTextObject, type ObjectStore, putTextObject } from '#infra/storage/object-store';

export async function writeArchiveChunk(
  store: ObjectStore,
  conversationId: string,
  name: string,
  entries: TimelineEntry[],
): Promise<void> {
  await putTextObject(store, archivedEntriesKey(conversationId, name), JSON.stringify(entries));
}

/** One after the other: a long conversation has hundreds. One that is no longer there is missing, and said so. */
export async function readArchiveChunks(
  store: ObjectStore,
  conversationId: string,
  names: string[],
): Promise<ArchivedEntries> {
  const entries: TimelineEntry[] = [];
  let isWhole = true;
  for (const name of names) {
    const piece = await getTextObject(store, archivedEntriesKey(conversationId, name));
    if (piece === undefined) isWhole = false;
    else entries.push(...(JSON.parse(piece) as TimelineEntry[]));
  }
  return { entries, isWhole };
}

const STORAGE_FAILURE_EFFECTS = {
  PARLEY_STORAGE: 'large results and old entries are not kept',
  PARLEY_EXPORTS: 'conversations that end are not written down, and tried again later',
};

/** Found out at the start and not with the first conversation. Nothing waits for it: what is away may come back. */
export function logStorageFailure(
  log: Log,
  variable: keyof typeof STORAGE_FAILURE_EFFECTS,
  trial: Promise<unknown> | undefined,
  unwanted: AbortSignal,
): void {
  trial?.catch((error: Error) => {
    if (unwanted.aborted) return;
    log.warn(
      { variable },
      `${variable} cannot be used: ${error.message} Until it can, ${STORAGE_FAILURE_EFFECTS[variable]}.`,
    );
  });
}

/** Everything that is kept of one conversation is below this. */
export const CONVERSATIONS_PREFIX = 'conversations';

/** A result that was too large for the transcript. The handle says nothing without the conversation it was made in. */
export function storedResultKey(conversationId: string, handle: string): string {
  return `${CONVERSATIONS_PREFIX}/${conversationId}/results/${handle}`;
}

/** A stretch of entries that left the state. */
function archivedEntriesKey(conversationId: string, piece: string): string {
  return `${CONVERSATIONS_PREFIX}/${conversationId}/entries/${piece}`;
}
