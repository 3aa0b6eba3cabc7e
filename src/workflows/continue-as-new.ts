import { makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import type { TimelineEntry } from '#contract/timeline';
import { CONTINUED_STATE_BYTES, enforceSizeLimit, MAX_STATE_BYTES } from '#core/conversation/size-limit';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { initialSearchAttributes } from '#core/search-attributes';
import { removeArchivedEntries, selectOldEntries, takeFirstChunk } from '#core/timeline';
import { archiveEntriesActivity, onDeliveryQueue } from './activity-options';
import { parkUntilChange } from './park';

export function shouldContinueAsNew(state: ConversationState): boolean {
  return workflowInfo().continueAsNewSuggested || state.sizeBytes > MAX_STATE_BYTES;
}

/**
 * Continues as new with the complete state, parked or not. Passes the memo on, since Temporal would restore the
 * initial one.
 */
export async function continueConversationAsNew(state: ConversationState): Promise<never> {
  const next = enforceSizeLimit(state, CONTINUED_STATE_BYTES);
  return makeContinueAsNewFunc<(state: ConversationState) => Promise<ConversationState>>({
    memo: { ...buildMemo(next) },
    typedSearchAttributes: initialSearchAttributes(next),
  })(next);
}

export interface Archiver {
  /** Resolves when the state should be looked at again; `undefined` if nothing is left to archive. */
  archiveOldEntries(isOver: boolean): Promise<void> | undefined;
}

/** Archives entries before they leave the state. Answers and deadlines meanwhile are handled at once. */
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
      // A sub-agent returns a report, not its state.
      if (!inFlight && !hasGivenUp && !(isOver && state.parent)) {
        const old = selectOldEntries(state, isOver ? MAX_STATE_BYTES : CONTINUED_STATE_BYTES);
        if (old.length > 0) begin(old);
      }
      if (!inFlight) return undefined;
      const current = inFlight;
      // Storage that is down must not delay a deadline or a reminder.
      return parkUntilChange(state, () => inFlight !== current);
    },
  };
}

/** Never rejects, since that would block the run; the entries are dropped instead and the timeline says so. */
async function archiveChunk(state: ConversationState, old: TimelineEntry[]): Promise<boolean> {
  const from = old[0]?.id ?? 0;
  const to = old.at(-1)?.id ?? 0;
  const name = `${from}-${to}`;
  try {
    const options = onDeliveryQueue(`entries ${from} to ${to}`);
    const isArchived = await archiveEntriesActivity.executeWithOptions(options, [{ name, from, to }]);
    if (isArchived) removeArchivedEntries(state, name, old);
    return isArchived === true;
  } catch {
    return false;
  }
}
