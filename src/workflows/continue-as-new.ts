import { condition, makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import type { TimelineEntry } from '#contract/timeline';
import { CONTINUED_STATE_BYTES, enforceSizeLimit, MAX_STATE_BYTES } from '#core/conversation/size-limit';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { initialSearchAttributes } from '#core/search-attributes';
import { removeArchivedEntries, selectOldEntries, takeFirstChunk } from '#core/timeline';
import { archiveEntriesActivity } from './activity-options';
import { changeMarker } from './visibility';

export function shouldContinueAsNew(state: ConversationState): boolean {
  return workflowInfo().continueAsNewSuggested || state.sizeBytes > MAX_STATE_BYTES;
}

/** Go on in a new run with everything, parked or not. The memo is passed on: it would fall back to the one at the start. */
export async function continueConversationAsNew(state: ConversationState): Promise<never> {
  const next = enforceSizeLimit(state, CONTINUED_STATE_BYTES);
  return makeContinueAsNewFunc<(state: ConversationState) => Promise<ConversationState>>({
    memo: { ...buildMemo(next) },
    typedSearchAttributes: initialSearchAttributes(next),
  })(next);
}

export interface Archiver {
  /** Resolves when it is time to look again; nothing where nothing leaves the state, or it cannot be kept. */
  archiveOldEntries(isOver: boolean): Promise<void> | undefined;
}

/** Has entries kept elsewhere before they leave the state. Whoever answers meanwhile is heard at once. */
export function createArchiver(state: ConversationState): Archiver {
  let inFlight: Promise<void> | undefined;
  let hasGivenUp = false;
  const begin = (old: TimelineEntry[]) => {
    inFlight = archiveChunk(state, takeFirstChunk(old)).then((isArchived) => {
      hasGivenUp = !isArchived;
      inFlight = undefined;
    });
  };
  return {
    archiveOldEntries(isOver) {
      // A sub-agent's state ends with it; what it leaves is a report.
      if (!inFlight && !hasGivenUp && !(isOver && state.parent)) {
        const old = selectOldEntries(state, isOver ? MAX_STATE_BYTES : CONTINUED_STATE_BYTES);
        if (old.length > 0) begin(old);
      }
      if (!inFlight) return undefined;
      const marker = changeMarker(state);
      return Promise.race([inFlight, condition(() => changeMarker(state) !== marker)]);
    },
  };
}

/** Never rejects: that would jam the run. It goes on without them then, and says so. */
async function archiveChunk(state: ConversationState, old: TimelineEntry[]): Promise<boolean> {
  const from = old[0]?.id ?? 0;
  const to = old.at(-1)?.id ?? 0;
  const name = `${from}-${to}`;
  try {
    const summary = `entries ${from} to ${to}`;
    const isArchived = await archiveEntriesActivity.executeWithOptions({ summary }, [{ name, from, to }]);
    if (isArchived) removeArchivedEntries(state, name, old);
    return isArchived === true;
  } catch {
    return false;
  }
}
