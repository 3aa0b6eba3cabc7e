import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { clip } from '#core/json';
import { isHandle, keptLine } from '#core/kept-result';
import { resultName } from '#storage/names';
import type { Store } from '#storage/store';
import { getText, putText } from '#storage/texts';

/** About 5,000 tokens, sent again with every call of the model that follows: more is seldom read for its every word. */
const INLINE_LENGTH = 20_000;
/** Enough to see what it is, and whether to read on. */
const SHOWN_LENGTH = 4_000;
/** Of this much nothing is lost. */
export const KEPT_LENGTH = 20_000_000;
/** What a conversation can hold of a result that is kept nowhere else. */
const CLIPPED_LENGTH = 200_000;

/** What the model hears of a result: all of it, or its beginning and where the rest is. The tool is done: nothing here fails. */
export async function heardOf(store: Store | undefined, text: string): Promise<string> {
  if (!store || text.length <= INLINE_LENGTH) return clip(text, CLIPPED_LENGTH);
  const { info, log } = Context.current();
  const { workflowId, runId } = info.workflowExecution as { workflowId: string; runId: string };
  const handle = handleOf(runId, info.activityId);
  const kept = text.slice(0, KEPT_LENGTH);
  try {
    await putText(store, resultName(workflowId, handle), kept);
  } catch (error) {
    log.warn('A large result could not be kept', { why: (error as Error).message });
    return text.length <= CLIPPED_LENGTH ? text : `${clip(text, CLIPPED_LENGTH)}\n${NOT_KEPT}`;
  }
  const lost = text.length - kept.length;
  return [
    keptLine(handle, kept.length),
    clip(kept, SHOWN_LENGTH),
    ...(lost > 0 ? [`[It was longer than anything is kept: its last ${lost} characters are lost.]`] : []),
  ].join('\n');
}

const NOT_KEPT =
  '[The rest of this result is lost: the storage for large results could not be written to. Ask for less at once.]';

/** The same for every attempt, and another for every use, whatever the model calls it. */
function handleOf(runId: string, activityId: string): string {
  return `r-${createHash('sha256').update(`${runId} ${activityId}`).digest('hex').slice(0, 12)}`;
}

/** Of this very conversation: the handle of another one's leads nowhere. */
export async function readKept(
  store: Store,
  conversationId: string,
  handle: string,
): Promise<string | undefined> {
  if (!isHandle(handle)) return undefined;
  try {
    return await getText(store, resultName(conversationId, handle));
  } catch (error) {
    // Where things are kept, and how they are locked, is nothing for the model.
    Context.current().log.warn('A kept result could not be read', { why: (error as Error).message, handle });
    throw new Error(UNREAD);
  }
}

const UNREAD =
  'The result cannot be read just now. It is not lost: try once more later, or call the tool again and ask for less.';
