import { condition, makeContinueAsNewFunc, patched, workflowInfo } from '@temporalio/workflow';
import type { TimelineEntry } from '#contract/timeline';
import { CONTINUED_STATE_BYTES, enforceSizeLimit, MAX_STATE_BYTES } from '#core/conversation/size-limit';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { initialSearchAttributes } from '#core/search-attributes';
import { removeArchivedEntries, selectOldEntries, takeFirstChunk } from '#core/timeline';
import { archiveEntriesActivity } from './activities';
import { changeMarker } from './visibility';

/** From which weight on a conversation of before 0.7 rolled over. */
const LEGACY_STATE_BYTES = 1_500_000;

export function shouldContinueAsNew(state: ConversationState): boolean {
  if (workflowInfo().continueAsNewSuggested) return true;
  if (state.weight <= LEGACY_STATE_BYTES) return false;
  return !canArchiveEntries() || state.weight > MAX_STATE_BYTES;
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
  rest(isOver: boolean): Promise<void> | undefined;
}

/** Has entries kept elsewhere before they leave the state. Whoever answers meanwhile is heard at once. */
export function createArchiver(state: ConversationState): Archiver {
  let underWay: Promise<void> | undefined;
  let isGivenUp = false;
  const begin = (old: TimelineEntry[]) => {
    underWay = archiveChunk(state, takeFirstChunk(old)).then((isKept) => {
      isGivenUp = !isKept;
      underWay = undefined;
    });
  };
  return {
    rest(isOver) {
      // A sub-agent's state ends with it; what it leaves is a report.
      if (!underWay && !isGivenUp && !(isOver && state.parent)) {
        const old = selectOldEntries(state, isOver ? MAX_STATE_BYTES : CONTINUED_STATE_BYTES);
        if (old.length > 0 && canArchiveEntries()) begin(old);
      }
      if (!underWay) return undefined;
      const mark = changeMarker(state);
      return Promise.race([underWay, condition(() => changeMarker(state) !== mark)]);
    },
  };
}

/** Conversations of before 0.7 dropped them, and their state was smaller. */
function canArchiveEntries(): boolean {
  return patched('keeps-entries');
}

/** Never rejects: that would jam the run. It goes on without them then, and says so. */
async function archiveChunk(state: ConversationState, old: TimelineEntry[]): Promise<boolean> {
  const from = old[0]?.id ?? 0;
  const to = old.at(-1)?.id ?? 0;
  const name = `${from}-${to}`;
  try {
    const summary = `entries ${from} to ${to}`;
    const isKept = await archiveEntriesActivity.executeWithOptions({ summary }, [{ name, from, to }]);
    if (isKept) removeArchivedEntries(state, name, old);
    return isKept === true;
  } catch {
    return false;
  }
}
