import type { TimelineEntry } from '#contract/timeline';
import type { ArchivedEntries } from '#core/timeline';
import type { Log } from '#infra/log';
import { getTextObject, type ObjectStore, putTextObject } from '#infra/storage/object-store';

export async function writeArchiveChunk(
  store: ObjectStore,
  conversationId: string,
  chunkName: string,
  entries: TimelineEntry[],
): Promise<void> {
  await putTextObject(store, archivedEntriesKey(conversationId, chunkName), JSON.stringify(entries));
}

/** Reads chunks one at a time, as a long conversation has hundreds. `isComplete` is false if one is missing. */
export async function readArchiveChunks(
  store: ObjectStore,
  conversationId: string,
  chunkNames: string[],
): Promise<ArchivedEntries> {
  const entries: TimelineEntry[] = [];
  let isComplete = true;
  for (const chunkName of chunkNames) {
    const chunk = await getTextObject(store, archivedEntriesKey(conversationId, chunkName));
    if (chunk === undefined) isComplete = false;
    else entries.push(...(JSON.parse(chunk) as TimelineEntry[]));
  }
  return { entries, isComplete };
}

const STORAGE_FAILURE_EFFECTS = {
  PARLEY_STORAGE: 'large results and old entries are not saved',
  PARLEY_EXPORTS: 'finished conversations are not exported; the export is retried',
};

/** Warns at startup if the storage fails. Does not block the start, as the storage may recover. */
export function logStorageFailure(
  log: Log,
  variable: keyof typeof STORAGE_FAILURE_EFFECTS,
  probe: Promise<unknown> | undefined,
  signal: AbortSignal,
): void {
  probe?.catch((error: Error) => {
    if (signal.aborted) return;
    log.warn(
      { variable },
      `Can't use ${variable}: ${error.message} Until this is fixed, ${STORAGE_FAILURE_EFFECTS[variable]}.`,
    );
  });
}

/** Prefix of all objects of conversations. */
export const CONVERSATIONS_PREFIX = 'conversations';

/** Key of a result that is too large for the transcript. A handle is only valid together with its conversation. */
export function storedResultKey(conversationId: string, handle: string): string {
  return `${CONVERSATIONS_PREFIX}/${conversationId}/results/${handle}`;
}

/** Key of a chunk of timeline entries that were moved out of the workflow state. */
function archivedEntriesKey(conversationId: string, chunkName: string): string {
  return `${CONVERSATIONS_PREFIX}/${conversationId}/entries/${chunkName}`;
}
