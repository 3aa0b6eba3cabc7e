import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { buildSearchAttributes, toAttributePairs } from '#core/search-attributes';
import { renderTemporalDetails } from '#core/temporal-ui-details';

/** Publishes the state as memo and search attributes. Each write is an event, so it happens only on visible changes. */
export function createPublisher(state: ConversationState): () => void {
  // The starter of this run wrote these from the same state.
  let memo = serializeParts(buildMemo(state));
  let attributes = serializeParts(buildSearchAttributes(state));
  let publishedMarker = visibleMarker(state);
  return () => {
    setCurrentDetails(renderTemporalDetails(state));
    if (visibleMarker(state) === publishedMarker) return;
    publishedMarker = visibleMarker(state);
    const memoNow = buildMemo(state);
    upsertMemo(changedParts(memo, memoNow));
    memo = serializeParts(memoNow);
    const attributesNow = buildSearchAttributes(state);
    const changed = changedParts(attributes, attributesNow);
    if (Object.keys(changed).length > 0) upsertSearchAttributes(toAttributePairs(changed));
    attributes = serializeParts(attributesNow);
  };
}

/** Changes whenever a wait must end: parked, resolved, finished, or a message handled. */
export function changeMarker(state: ConversationState): string {
  const lastResult = state.messageResults[state.messageResults.length - 1];
  return [state.status, state.question?.id, lastResult?.id, lastResult?.at].join(' ');
}

/** Changes whenever outside readers would see a difference, notifications and assignees included. */
function visibleMarker(state: ConversationState): string {
  const notices = [state.question, state.settledQuestion].map((question) => question?.notices.length);
  return [changeMarker(state), ...notices, state.access.assignees.length].join(' ');
}

type SerializedParts = Record<string, string | undefined>;

function serializeParts(parts: object): SerializedParts {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, JSON.stringify(part)]));
}

function changedParts<T extends object>(before: SerializedParts, now: T): Partial<T> {
  const parts = Object.entries(now).filter(([name, part]) => JSON.stringify(part) !== before[name]);
  return Object.fromEntries(parts) as Partial<T>;
}
