import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { storedResultKey } from '#archive/conversation-archive';
import { truncateText } from '#core/json';
import { isResultHandle, storedResultMarker } from '#core/tools/stored-result-marker';
import { getTextObject, type ObjectStore, putTextObject } from '#infra/storage/object-store';

/** About 5,000 tokens. Every later model call sends them again, and longer results are seldom read in full. */
const MAX_INLINE_LENGTH = 20_000;
/** Enough to see what it is and whether to read on. */
const PREVIEW_LENGTH = 4_000;
/** Results up to this length are stored completely. */
export const MAX_STORED_RESULT_LENGTH = 20_000_000;
/** Limit for a result that could not be stored. */
const MAX_UNSTORED_LENGTH = 200_000;

/**
 * What the model reads of a result: all of it, or its beginning and where the rest is stored. Never fails: the tool
 * has already run.
 */
export async function truncateOrStoreResult(store: ObjectStore | undefined, text: string): Promise<string> {
  if (!store || text.length <= MAX_INLINE_LENGTH) return truncateText(text, MAX_UNSTORED_LENGTH);
  const { info, log } = Context.current();
  const { workflowId, runId } = info.workflowExecution as { workflowId: string; runId: string };
  const handle = resultHandle(runId, info.activityId);
  const stored = text.slice(0, MAX_STORED_RESULT_LENGTH);
  try {
    await putTextObject(store, storedResultKey(workflowId, handle), stored);
  } catch (error) {
    log.warn('Failed to save a large result', { why: (error as Error).message });
    return text.length <= MAX_UNSTORED_LENGTH ? text : `${truncateText(text, MAX_UNSTORED_LENGTH)}\n${NOT_STORED_NOTE}`;
  }
  const lostLength = text.length - stored.length;
  return [
    storedResultMarker(handle, stored.length),
    truncateText(stored, PREVIEW_LENGTH),
    ...(lostLength > 0 ? [`[It exceeds the limit: its last ${lostLength} characters are lost.]`] : []),
  ].join('\n');
}

const NOT_STORED_NOTE = '[The rest of this result is lost: it could not be saved. Ask for less at once.]';

/** The same for every attempt, different for every call. */
function resultHandle(runId: string, activityId: string): string {
  return `r-${createHash('sha256').update(`${runId} ${activityId}`).digest('hex').slice(0, 12)}`;
}

/** Reads a stored result of this conversation only. */
export async function readStoredToolResult(
  store: ObjectStore,
  conversationId: string,
  handle: string,
): Promise<string | undefined> {
  if (!isResultHandle(handle)) return undefined;
  try {
    return await getTextObject(store, storedResultKey(conversationId, handle));
  } catch (error) {
    // Do not show storage details to the model.
    Context.current().log.warn('Failed to read a saved result', { why: (error as Error).message, handle });
    throw new Error(UNREADABLE_RESULT);
  }
}

const UNREADABLE_RESULT =
  'The result cannot be read right now, but is not lost. Retry later, or call the tool again and ask for less.';
